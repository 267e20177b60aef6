import { command, curl, grpcurl } from './commands.ts';
import { javascript, python } from './programs.ts';
import type { Snippet, SnippetOptions } from './snippet.ts';

/** Every way to make a call. */
export const snippetsOf = (options: SnippetOptions): Snippet[] => [
  curl(options),
  grpcurl(options),
  command(options),
  javascript(options),
  python(options),
];
