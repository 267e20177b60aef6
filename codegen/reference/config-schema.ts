import * as z from 'zod';
import { fileSchema } from '../../src/config/schema.ts';
import { settingsDocs } from './settings-docs.ts';

/** A JSON Schema, as far as it is read here. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  description?: string;
}

/**
 * The JSON Schema of the configuration file, for editors: `# yaml-language-server: $schema=…`. The gateway itself checks more,
 * such as units and names.
 */
export function configSchema(): object {
  const schema = z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' }) as Schema;
  describe(schema, '', settingsDocs());
  return { title: 'Configuration of a2a-gateway', ...schema };
}

/** Adds the comments of the settings to the keys. */
function describe(schema: Schema, path: string, comments: ReadonlyMap<string, string>): void {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const variant = [properties.kind?.const, properties.type?.const].find((value) => typeof value === 'string');
  const at = variant === undefined ? path : `${path}<${variant}>`;
  for (const [name, property] of Object.entries(properties)) {
    const below = at === '' ? name : `${at}.${name}`;
    const comment = comments.get(below);
    if (comment !== undefined) property.description = comment;
    describe(property, below, comments);
    // A switch is short for its mapping.
    if (name === 'knowledge') {
      const { description, ...mapping } = property;
      for (const key of Object.keys(property)) delete (property as Record<string, unknown>)[key];
      Object.assign(property, { description, anyOf: [{ type: 'boolean' }, mapping] });
    }
  }
  if (items) describe(items, `${path}[]`, comments);
  if (typeof additionalProperties === 'object') describe(additionalProperties, `${path}.*`, comments);
  for (const option of [...anyOf, ...oneOf]) describe(option, path, comments);
}
