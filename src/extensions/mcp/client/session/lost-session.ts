import type { ToolFailure } from '../failures.ts';
import type { McpSession } from './session.ts';

/**
 * Meaning of a refusal for the session. `lost`: HTTP 404, with which the specification reports an unknown session;
 * nothing has run. `suspect`: the session may be lost, since servers report this in other ways too, but the tool itself
 * may have reported an error about sessions. `failing`: the server or a proxy in front of it is failing.
 */
type Suspicion = 'lost' | 'suspect' | 'failing' | undefined;

/**
 * State of a session after a failure. `lost`: the session is gone, and the refused request has not run. `gone`: the
 * session is gone, and it is unknown whether the request has run.
 */
export type SessionState = 'lost' | 'gone' | 'open';

/** Statuses that concern a request as a whole, before it is executed. */
const ofRequest: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 422]);

/** Words of servers that miss a session or the handshake that begins one. */
const aboutSessions = /session|initiali[sz]|handshake/i;
/** Error of the Python SDK for a request before the handshake. */
const pythonWords = /^-32602 invalid request parameters$/i;

export function suspicionOf({ answer, details, answersRequest }: ToolFailure): Suspicion {
  if (answer === undefined) return undefined;
  const status = Number(details?.http_status);
  if (status === 404 && !answersRequest) return 'lost';
  if (ofRequest.has(status) || aboutSessions.test(answer) || pythonWords.test(answer)) return 'suspect';
  return status >= 500 ? 'failing' : undefined;
}

/**
 * Determines the state of a session in which a request was refused, by sending a request that executes nothing. If the
 * server refuses it in the same way, the refusal happens before execution, which proves that nothing has run. Rejects
 * with the signal's reason.
 */
export async function sessionAfter(
  failure: ToolFailure,
  session: Pick<McpSession, 'check'>,
  signal: AbortSignal,
): Promise<SessionState> {
  const suspicion = suspicionOf(failure);
  if (suspicion === undefined || suspicion === 'lost') return suspicion ?? 'open';
  const other = await session.check(signal);
  if (!other) return 'open';
  if (suspicion === 'suspect' && isSameRefusal(failure, other)) return 'lost';
  return suspicionOf(other) === undefined ? 'open' : 'gone';
}

/** Whether two refusals are equal except for the request's method and id, and other numbers. */
const isSameRefusal = (one: ToolFailure, other: ToolFailure): boolean => plainAnswer(one) === plainAnswer(other);

function plainAnswer({ answer = '' }: ToolFailure): string {
  const [, head = '', words = ''] = /^((?:HTTP )?-?\d+)([\s\S]*)$/.exec(answer) ?? [];
  const code = /"code"\s*:\s*(-?\d+)/.exec(words)?.[1] ?? '';
  const plain = words
    .toLowerCase()
    .replaceAll(/tools\\?\/(?:call|list)/g, '')
    .replaceAll(/"id"\s*:\s*(?:"[^"]*"|-?\d+|null)/g, '')
    .replaceAll(/[0-9a-f]{8}[0-9a-f-]{4,}|-?\d+/g, '');
  return `${head} ${code} ${plain}`;
}
