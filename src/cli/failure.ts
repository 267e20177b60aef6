import { A2AError } from '../client/index.ts';
import { ConfigError, formatProblem } from '../config/index.ts';
import { CommandFailed, exitCode, UsageError } from './exit-code.ts';

/** What to tell of an error, a line each, and what to exit with. */
export function describeFailure(thrown: unknown): { lines: readonly string[]; code: number } {
  if (thrown instanceof CommandFailed)
    return { lines: thrown.message === '' ? [] : [thrown.message], code: exitCode.failed };
  if (thrown instanceof UsageError) return { lines: [thrown.message], code: exitCode.usage };
  if (thrown instanceof ConfigError) return { lines: thrown.problems.map(formatProblem), code: exitCode.usage };
  if (thrown instanceof A2AError) return { lines: [describeA2AError(thrown)], code: exitCode.failed };
  const { code, message } = thrown as NodeJS.ErrnoException;
  const said = message === undefined || message === '' ? String(thrown) : message;
  return { lines: [code === undefined ? said : said.replace(/^[A-Z]+: /, '')], code: exitCode.failed };
}

/** What an A2AError says, and what its reader could do about it. */
function describeA2AError(error: A2AError): string {
  const fields = error.violations
    .filter(({ field }) => !error.message.includes(field))
    .map(({ field, description }) => `${field} ${description}`);
  const advice = adviceFor(error);
  return [[error.message, ...fields].join('; '), ...(advice === undefined ? [] : [advice])].join('; ');
}

function adviceFor(error: A2AError): string | undefined {
  // What a gateway says of an agent behind it ends the same.
  if (error.kind === 'upstreamUnreachable' && /^(cannot reach |https?:).*connection refused$/.test(error.message)) {
    return 'is the gateway running?';
  }
  if (error.kind === 'unauthenticated') return 'give credentials with --api-key or --bearer';
  if (error.retryAfter !== undefined) return `try again in ${error.retryAfter} s`;
  return undefined;
}

/** The whole story, for `--verbose`: stacks and causes. */
export function explainFailure(thrown: unknown): string {
  const lines: string[] = [];
  for (let error = thrown; error instanceof Error && lines.length < 8; error = error.cause) {
    lines.push(`${lines.length === 0 ? '' : 'caused by: '}${error.stack ?? String(error)}`);
  }
  return lines.length === 0 ? String(thrown) : lines.join('\n');
}
