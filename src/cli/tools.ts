import type { CommandTools } from '../extensions/command.ts';
import { jsonInput, readInput } from './input.ts';
import type { Output } from './output.ts';
import { withAdmin } from './own-gateway.ts';
import { withClient } from './target.ts';

/** Creates the tools for commands of extensions, which print to `output`. */
export const createTools = (output: Output): CommandTools => ({
  output,
  withClient: (target, options, use) => withClient(target, options, output, use),
  withAdmin: (target, options, use) => withAdmin(target, options, output, use),
  readInput: (path) => readInput(path),
  jsonInput: (text, flag, example) => jsonInput(text, flag, example),
});
