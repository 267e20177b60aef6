import { withShownUrls } from '../core/model/shown-url.ts';

/** A problem in a configuration. */
export interface ConfigProblem {
  /** Such as `gateway.yaml:12`; undefined where the problem has no position. */
  readonly where: string | undefined;
  /** Path of the key, such as `agents.mine.path`, or name of the flag; '' for the document itself. */
  readonly path: string;
  /** Never contains a value that may be a secret. */
  readonly message: string;
}

/** The problem on one line: `gateway.yaml:12: agents.mine.path: expected …`. */
export const formatProblem = ({ where, path, message }: ConfigProblem): string =>
  [where, path, message].filter((part) => part !== undefined && part !== '').join(': ');

/** The problem of a key that JavaScript objects would drop silently. */
export const protoRefused = '__proto__ is not allowed as a key; choose another name';

/** A configuration that cannot be used. Its message is the first problem on one line, and how many more there are. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** At least one, in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  constructor(found: readonly ConfigProblem[], options?: ErrorOptions) {
    // A URL may stand in a key too.
    const problems = found.map((each) => ({
      where: each.where,
      path: withShownUrls(each.path),
      message: withShownUrls(each.message),
    }));
    const [first, ...more] = problems.map(formatProblem);
    super(`${first ?? 'invalid configuration'}${more.length === 0 ? '' : ` (and ${more.length} more)`}`, options);
    this.problems = problems;
  }
}
