import { A2AError } from '../client/index.ts';
import { ConfigError, formatProblem } from '../config/index.ts';
import { CommandFailed, exitCode, TaskWaits, UsageError } from './exit-code.ts';
import { withoutCalls } from './render.ts';

/** Returns the lines that report an error, and the exit code. */
export function describeFailure(thrown: unknown): { lines: readonly string[]; code: number } {
  if (thrown instanceof CommandFailed)
    return { lines: thrown.message === '' ? [] : [thrown.message], code: exitCode.failed };
  if (thrown instanceof TaskWaits) return { lines: [], code: exitCode.waiting };
  if (thrown instanceof UsageError) return { lines: [thrown.message], code: exitCode.usage };
  if (thrown instanceof ConfigError) return { lines: thrown.problems.map(formatProblem), code: exitCode.usage };
  if (thrown instanceof A2AError) return { lines: [describeA2AError(thrown)], code: exitCode.failed };
  const { code, message } = thrown as NodeJS.ErrnoException;
  const text = message === undefined || message === '' ? String(thrown) : message;
  return { lines: [code === undefined ? text : text.replace(/^[A-Z]+: /, '')], code: exitCode.failed };
}

/** Returns the message of an A2AError, with advice for the user. */
function describeA2AError(error: A2AError): string {
  const fields = error.violations
    .filter(({ field }) => !error.message.includes(field))
    .map(({ field, description }) => `${field} ${description}`);
  const advice = adviceFor(error);
  return [[withoutCalls(error.message), ...fields].join('; '), ...(advice === undefined ? [] : [advice])].join('; ');
}

function adviceFor(error: A2AError): string | undefined {
  // A gateway's message about an agent behind it has the same ending.
  if (error.kind === 'upstreamUnreachable' && /^(cannot reach |https?:).*connection refused$/.test(error.message)) {
    return 'is the gateway running?';
  }
  if (/its certificate (?:is self-signed|was issued by an unknown authority)$/.test(error.message)) {
    return "use --cacert with the certificate of the server's authority";
  }
  if (error.kind === 'unauthenticated') return 'use --api-key or --bearer';
  if (error.retryAfter !== undefined) return `retry in ${error.retryAfter} s`;
  return undefined;
}

/** Returns the stacks of an error and its causes, for `--verbose`. */
export function explainFailure(thrown: unknown): string {
  const lines: string[] = [];
  for (let error = thrown; error instanceof Error && lines.length < 8; error = error.cause) {
    lines.push(`${lines.length === 0 ? '' : 'caused by: '}${error.stack ?? String(error)}`);
  }
  return lines.length === 0 ? String(thrown) : lines.join('\n');
}
