import { withShownUrls } from '../core/model/shown-url.ts';

/** A problem in a configuration. */
export interface ConfigProblem {
  /** Position of the problem, such as `gateway.yaml:12`. Undefined if it has none. */
  readonly where: string | undefined;
  /** Path of the key, such as `agents.mine.path`, or name of the flag; '' for the document itself. */
  readonly path: string;
  /** Message, which never contains a value that may be a secret. */
  readonly message: string;
}

/** Formats a problem on one line: `gateway.yaml:12: agents.mine.path: expected …`. */
export const formatProblem = ({ where, path, message }: ConfigProblem): string =>
  [where, path, message].filter((part) => part !== undefined && part !== '').join(': ');

/** Message about a key that JavaScript objects would drop silently. */
export const protoRefused = '__proto__ is not allowed as a key; choose another name';

/**
 * Error for a configuration that cannot be used. Its message is the first problem on one line, and the number of
 * further problems.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The problems, in the order of the file; at least one. */
  readonly problems: readonly ConfigProblem[];

  constructor(found: readonly ConfigProblem[], options?: ErrorOptions) {
    // A key may contain a URL too.
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
