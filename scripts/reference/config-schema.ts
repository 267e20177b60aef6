import * as z from 'zod';
import { fileSchema } from '../../src/config/schema.ts';

/**
 * The JSON Schema of the configuration file, for editors: `# yaml-language-server: $schema=…`. The gateway itself checks more,
 * such as units and names.
 */
export const configSchema = (): object => ({
  title: 'Configuration of a2a-gateway',
  ...z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' }),
});
