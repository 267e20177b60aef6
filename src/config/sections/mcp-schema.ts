import * as z from 'zod';
import { Secret } from '../../net/secret.ts';
import { anything, oneOf, section, text, textAs, timeout } from '../schema-parts.ts';
import { size } from './limits-schema.ts';
import { outboundAuth } from './upstream-schema.ts';
import { readUpstreamUrl } from './upstream-url.ts';

/** What `kind: mcp` may hold, before defaults and before paths are resolved. */

/** What is said when something else stands where a server's URL is expected. */
const expectedServerUrl = 'the http or https URL of a server, such as https://tools.example.com/mcp';

const names = (what: string) => z.array(text(what), anything(`a list: ${what}`));

const expectedTool = 'the name of a tool, or a mapping with name, description, inputSchema';

const tool = z.union(
  [
    text(expectedTool).transform((name) => ({ name })),
    section('a tool', {
      name: text('the name of a tool'),
      description: text('what the tool does').optional(),
      inputSchema: z.record(z.string(), z.unknown(), anything('a JSON Schema')).optional(),
    }),
  ],
  anything(expectedTool),
);

const variable = z
  .union([z.string(), z.number(), z.boolean()], anything('a text'))
  .transform((value) => new Secret(String(value)));

const server = section('a server of tools', {
  url: textAs(expectedServerUrl, readUpstreamUrl).optional(),
  style: oneOf('mcp', 'method-per-tool').optional(),
  auth: outboundAuth.optional(),
  tools: z.array(tool, anything('a list of tools')).optional(),
  command: text('the name or path of a program').optional(),
  args: z
    .array(z.union([z.string(), z.number()], anything('a text')).transform(String), anything('a list of arguments'))
    .optional(),
  env: z.record(z.string(), variable, anything('variables by their names')).optional(),
  cwd: text('the path of a folder').optional(),
  timeout: timeout.optional(),
  maxResult: size.optional(),
  allow: names('names of tools, where * stands for any characters').optional(),
  deny: names('names of tools, where * stands for any characters').optional(),
});

/** The keys of an agent of tools besides `kind` and `hosts`. */
export const mcp = {
  servers: z.record(z.string(), server, anything('servers by the ids that callers name them by')).optional(),
};
