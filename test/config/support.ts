import { ConfigError, formatProblem } from '../../src/config/index.ts';
import { type ParseOptions, parseConfig } from '../../src/config/parse.ts';

/** Reads a text as the configuration file `/etc/gw/gw.yaml`. */
export const read = (text: string, options: Partial<ParseOptions> = {}) =>
  parseConfig(text, { file: '/etc/gw/gw.yaml', env: {}, ...options });

/** Every problem of a text, a line each, in the file `gw.yaml`. */
export function problems(text: string, options: Partial<ParseOptions> = {}): string[] {
  try {
    read(text, { file: 'gw.yaml', ...options });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

/** A reference to an environment variable. */
export const ref = (name: string): string => `\${${name}}`;

/** An upstream of these lines, below `agents.w`. */
export const upstream = (...lines: string[]): string =>
  ['agents:', '  w:', '    kind: upstream', ...lines.map((line) => `    ${line}`)].join('\n');
