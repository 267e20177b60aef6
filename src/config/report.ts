/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** Where: `gateway.yaml:12`, or the flag's name, or undefined when there is no place. */
  readonly where: string | undefined;
  /** Path of the key, such as `agents.mine.path`; '' for the document itself. */
  readonly path: string;
  /** What was expected, or what is wrong. Never holds a value that may be a secret. */
  readonly message: string;
}

/** The problem on one line: `gateway.yaml:12: agents.mine.path: expected …`. */
export const formatProblem = ({ where, path, message }: ConfigProblem): string =>
  [where, path, message].filter((part) => part !== undefined && part !== '').join(': ');

/** A configuration that cannot be used. Its message is the first problem on one line, and how many more there are. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** At least one, in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    const [first, ...more] = problems.map(formatProblem);
    super(`${first ?? 'invalid configuration'}${more.length === 0 ? '' : ` (and ${more.length} more)`}`, options);
    this.problems = problems;
  }
}
