import * as z from 'zod';

/** Facts about a schema that its own metadata has no place for. Descriptions are zod's own. */
export interface SchemaFacts {
  /** The name of its values in the types of the package: as they are written, and as they are read. */
  readonly input?: string;
  readonly output?: string;
  /** The TypeScript type of its values, where the schema accepts more than programs should write, or cannot tell. */
  readonly type?: string;
  /** The unit of the numbers that it is read as. */
  readonly unit?: 'bytes' | 'milliseconds';
  /** Whether its values are secret, or may hold a secret in the query of a URL. */
  readonly secret?: 'whole' | 'query';
}

export const schemaFacts = z.registry<SchemaFacts>();

/** A schema of a known type, whose definition can be read. */
export type AnySchema = z.core.$ZodTypes;

export const asAny = (schema: z.core.$ZodType): AnySchema => schema as AnySchema;

/** The schema that another one wraps. For a schema that converts, the schema of the values before or after it. */
export function innerOf(schema: AnySchema, side: 'input' | 'output' = 'input'): AnySchema | undefined {
  const { def } = schema._zod;
  if (def.type === 'pipe') return asAny(side === 'input' ? def.in : def.out);
  return 'innerType' in def ? asAny(def.innerType) : undefined;
}
