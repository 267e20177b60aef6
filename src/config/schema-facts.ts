import * as z from 'zod';

/** Facts about a schema that zod's metadata cannot express. Descriptions are part of zod's metadata. */
export interface SchemaFacts {
  /** Name of the type of the values that users write. */
  readonly input?: string;
  /** Name of the type of the values that the gateway reads. */
  readonly output?: string;
  /**
   * TypeScript type of the values, if the schema accepts more than programs should write, or does not determine the
   * type.
   */
  readonly type?: string;
  /** Unit of the numbers to which values are converted. */
  readonly unit?: 'bytes' | 'milliseconds';
  /** Whether the values are secret, or may contain a secret in the query of a URL. */
  readonly secret?: 'whole' | 'query';
}

export const schemaFacts = z.registry<SchemaFacts>();

/** A schema of a known type, whose definition can be read. */
export type AnySchema = z.core.$ZodTypes;

export const asAny = (schema: z.core.$ZodType): AnySchema => schema as AnySchema;

/**
 * Returns the schema that another one wraps. For a converting schema, it is the schema of the values before or after
 * the conversion.
 */
export function innerOf(schema: AnySchema, side: 'input' | 'output' = 'input'): AnySchema | undefined {
  const { def } = schema._zod;
  if (def.type === 'pipe') return asAny(side === 'input' ? def.in : def.out);
  return 'innerType' in def ? asAny(def.innerType) : undefined;
}
