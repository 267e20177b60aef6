import type { UpstreamTask } from '../../core/model/agent.ts';
import { A2AError, type ErrorKind, isUndelivered, markUndelivered } from '../../core/model/errors.ts';

/**
 * What an upstream's errors are to our caller, where not what they say: that the gateway was not let in is not the
 * caller's doing, and that the agent does not know a method is nothing that the caller can mend.
 */
type ErrorTable = Partial<Readonly<Record<ErrorKind, readonly [kind: ErrorKind, said: string]>>>;

const kinds: ErrorTable = {
  unauthenticated: ['upstreamUnreachable', 'The upstream agent does not accept the credentials of the gateway'],
  permissionDenied: ['upstreamUnreachable', 'The upstream agent does not let the gateway in'],
  methodNotFound: ['invalidAgentResponse', 'The upstream agent does not know this method'],
  routeNotFound: ['invalidAgentResponse', 'The upstream agent does not know this path'],
  verbNotAllowed: ['invalidAgentResponse', 'The upstream agent does not know this path'],
  agentNotFound: ['invalidAgentResponse', 'The upstream agent is not where it was'],
  versionNotSupported: ['invalidAgentResponse', 'The upstream agent does not speak this version'],
  parse: ['invalidAgentResponse', 'The upstream agent could not read the request'],
  invalidRequest: ['invalidAgentResponse', 'The upstream agent could not read the request'],
  requestTimeout: ['upstreamTimeout', 'The upstream agent did not read the request in time'],
  idempotencyConflict: ['invalidAgentResponse', 'The upstream agent refused the request'],
};

/** The same where what the caller showed is passed on: then it is the caller who was not let in. */
const forwarded: ErrorTable = {
  ...kinds,
  unauthenticated: ['unauthenticated', 'The upstream agent does not accept what its caller showed, if anything'],
  permissionDenied: ['permissionDenied', 'The upstream agent does not let its caller in'],
};

/** Whose error it is. */
export interface ErrorMappingOptions {
  /** The task that it may name. */
  readonly upstreamTask: UpstreamTask | undefined;
  /** What that task is called here. */
  readonly taskId: string;
  /** Whether the agent is shown what its caller showed. */
  readonly forwards: boolean;
  /** Origins and authorities that the agent is called at. They are the gateway's own affair, as is its network. */
  readonly addresses: readonly string[];
  /** Takes out of the agent's words what it was shown: whoever is refused a key may say which. */
  readonly hide: (text: string) => string;
}

/** What failures of the way to an agent are to its callers. */
const networkFailures: Partial<Readonly<Record<ErrorKind, string>>> = {
  upstreamUnreachable: 'The upstream agent cannot be reached at the moment',
  upstreamTimeout: 'The upstream agent does not answer in time',
};

/** What a text says of the way to an agent, without saying where that is. */
function withoutPlaces(text: string, kind: ErrorKind, places: readonly string[]): string {
  const failure = networkFailures[kind];
  const word = failure === undefined ? 'the upstream agent' : 'it';
  let said = text;
  for (const place of places) said = said.replaceAll(`cannot reach ${place}: `, '').replaceAll(place, word);
  if (failure === undefined) return said;
  said = withoutRefusal(said)
    .replaceAll(/cannot reach \S+: /g, '')
    .replaceAll(/\bhttps?:\/\/[^\s"'<>]*[^\s"'<>.,:;)]/g, word);
  return said === text ? text : `${failure}: ${said}`;
}

/** A text without the address that the URL guard refused, and without the reason. */
function withoutRefusal(text: string): string {
  const end = text.indexOf(' is refused: ');
  if (end < 0) return text;
  const start = text.lastIndexOf(' ', end - 1) + 1;
  return `${text.slice(0, start)}the gateway is not allowed to call the address in its card`;
}

/** An upstream's error for our caller: what it means here, under our ids. The log has it as it was. */
export function errorForCaller(
  thrown: unknown,
  { upstreamTask: there, taskId, forwards, addresses: places, hide }: ErrorMappingOptions,
): A2AError {
  const error = A2AError.from(thrown);
  const [kind, said] = (forwards ? forwarded : kinds)[error.kind] ?? [error.kind, undefined];
  const rename = (text: string): string => hide(there?.id ? text.replaceAll(there.id, taskId) : text);
  const metadata = Object.fromEntries(Object.entries(error.metadata).map(([key, value]) => [key, rename(value)]));
  const words = withoutPlaces(error.message, error.kind, places);
  const message = rename(said === undefined ? words : `${said}: ${words}`);
  if (kind === error.kind && message === error.message && there === undefined) return error;
  const told = new A2AError(kind, message, {
    violations: error.violations.map(({ field, description }) => ({ field, description: hide(description) })),
    metadata,
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    // The log is to have it as it was, but for the same.
    cause: hide(error.message) === error.message ? error : new Error(hide(error.message)),
  });
  return isUndelivered(error) ? markUndelivered(told) : told;
}
