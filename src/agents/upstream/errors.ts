import type { UpstreamTask } from '../../core/model/agent.ts';
import {
  A2AError,
  type ErrorKind,
  isRefusal,
  isUndelivered,
  markRefusal,
  markUndelivered,
} from '../../core/model/errors.ts';
import { mapTexts } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import { neverTried } from '../../net/network-errors.ts';

type ErrorTable = Partial<Readonly<Record<ErrorKind, readonly [kind: ErrorKind, message: string]>>>;

/**
 * Errors of agents with another meaning for the gateway's caller, who cannot do anything if the agent rejects the gateway's
 * credentials or does not know a method.
 */
const ownCredentialErrors: ErrorTable = {
  unauthenticated: ['upstreamUnreachable', 'The upstream agent does not accept the credentials of the gateway'],
  permissionDenied: ['upstreamUnreachable', 'The upstream agent denies the gateway access'],
  methodNotFound: ['invalidAgentResponse', 'The upstream agent does not know this method'],
  routeNotFound: ['invalidAgentResponse', 'The upstream agent does not know this path'],
  verbNotAllowed: ['invalidAgentResponse', 'The upstream agent does not know this path'],
  agentNotFound: ['invalidAgentResponse', 'The upstream agent is no longer at its URL'],
  versionNotSupported: ['invalidAgentResponse', 'The upstream agent does not support this protocol version'],
  parse: ['invalidAgentResponse', 'The upstream agent could not read the request'],
  invalidRequest: ['invalidAgentResponse', 'The upstream agent could not read the request'],
  requestTimeout: ['upstreamTimeout', 'The upstream agent did not read the request in time'],
  idempotencyConflict: ['invalidAgentResponse', 'The upstream agent refused the request'],
};

/**
 * Errors of agents that get credentials of the caller, or credentials issued for the caller: here the caller was denied access.
 */
const callerCredentialErrors: ErrorTable = {
  ...ownCredentialErrors,
  unauthenticated: ['unauthenticated', "The upstream agent does not accept the caller's credentials, if there are any"],
  permissionDenied: ['permissionDenied', 'The upstream agent denies the caller access'],
};

interface ErrorMappingOptions {
  /** The task at the agent that the error may mention, and its id in the gateway. */
  readonly upstreamTask: UpstreamTask | undefined;
  readonly taskId: string;
  /** Whether the agent gets credentials of the caller, or credentials issued for the caller. */
  readonly perCaller: boolean;
  /** Origins and authorities of the agent, which callers do not see. */
  readonly addresses: readonly string[];
  /** Removes the credentials that the agent was sent: its error may quote them. */
  readonly hide: (text: string) => string;
}

/** Texts about failures of the network, for callers. */
const networkFailures: Partial<Readonly<Record<ErrorKind, string>>> = {
  upstreamUnreachable: 'The upstream agent cannot be reached at the moment',
  upstreamTimeout: 'The upstream agent does not answer in time',
};

/** The rest of a URL after its origin, at the beginning of a text. */
const restOfUrl = /^[/?#](?:[^\s"'<>]*[^\s"'<>.,:;)])?/;

/** A text in which each URL that begins with the address is replaced. */
const withoutAddress = (text: string, address: string, replacement: string): string =>
  text
    .split(address)
    .map((part, at) => (at === 0 ? part : replacement + part.replace(restOfUrl, '')))
    .join('');

const withoutAgent = (text: string, address: string): string => withoutAddress(text, address, 'the upstream agent');

/** A text without the addresses of the agent and of the gateway's network. */
function withoutAddresses(text: string, kind: ErrorKind, addresses: readonly string[]): string {
  const failure = networkFailures[kind];
  const replacement = failure === undefined ? 'the upstream agent' : 'it';
  let clean = text;
  for (const address of addresses) {
    clean = withoutAddress(clean.replaceAll(`cannot reach ${address}: `, ''), address, replacement);
  }
  if (failure === undefined) return clean;
  clean = withoutGuardReason(clean)
    .replaceAll(/cannot reach \S+: /g, '')
    .replaceAll(/\bhttps?:\/\/[^\s"'<>]*[^\s"'<>.,:;)]/g, replacement);
  // A text that begins with "The upstream agent" already names what has failed.
  return clean === text || clean.startsWith('The upstream agent') ? clean : `${failure}: ${clean}`;
}

/** A text without the address that the URL guard refused, and without the reason. */
function withoutGuardReason(text: string): string {
  const end = text.indexOf(' is refused: ');
  if (end < 0) return text;
  const start = text.lastIndexOf(' ', end - 1) + 1;
  return `${text.slice(0, start)}the gateway is not allowed to call the address in its card`;
}

/** Length from which an id is replaced wherever it is a word of its own, unless it is a plain word or a number. */
const leastDistinctive = 8;

const isDistinctive = (id: string): boolean => id.length >= leastDistinctive && !/^(?:\p{L}+|\d+)$/u.test(id);

/** Words between the word `task` and its id. */
const namingWords = [' not found', ' with', ' whose', ' id'];

/** Number of characters before an id that are searched for these words. */
const maxNaming = 64;

/** Whether a text ends with words that name a task, such as `Task with id "` or `taskId=`. */
function namesTask(before: string): boolean {
  let words = trimEnd(before.replace(/\s/g, ' ').toLowerCase(), ' :=#("\'`');
  for (let word: string | undefined = ''; word !== undefined; ) {
    words = trimEnd(words.slice(0, words.length - word.length), ' ');
    word = namingWords.find((one) => words.endsWith(one));
  }
  return /\btasks?(?:[ _-]?ids?)?$/.test(words);
}

/** Whether a part of a text is a whole word. */
const isWord = (text: string, start: number, end: number): boolean =>
  !/[\w-]$|\w\.$/.test(text.slice(Math.max(0, start - 2), start)) && !/^[\w-]|^\.\w/.test(text.slice(end, end + 2));

/**
 * A text in which the id of a task is replaced by another id, where it is a whole word. A short id is replaced only where the
 * text names the task.
 */
export function withOwnTaskId(text: string, theirs: string, ours: string): string {
  if (theirs === '') return text;
  const isOnItsOwn = isDistinctive(theirs);
  let replaced = '';
  let copied = 0;
  for (let at = text.indexOf(theirs); at >= 0; ) {
    const end = at + theirs.length;
    const isId = isWord(text, at, end) && (isOnItsOwn || namesTask(text.slice(Math.max(0, at - maxNaming), at)));
    if (isId) {
      replaced += text.slice(copied, at) + ours;
      copied = end;
    }
    at = text.indexOf(theirs, isId ? end : at + 1);
  }
  return replaced + text.slice(copied);
}

/** An agent's error for the gateway's caller, under the gateway's ids. Its `cause` is the original, for the log. */
export function errorForCaller(thrown: unknown, options: ErrorMappingOptions): A2AError {
  const { upstreamTask, taskId, perCaller, addresses, hide } = options;
  const error = A2AError.from(thrown);
  const table = perCaller ? callerCredentialErrors : ownCredentialErrors;
  // The error of a call that was not tried is not the agent's.
  const [kind, prefix] = (neverTried(error) ? undefined : table[error.kind]) ?? [error.kind, undefined];
  const theirs = upstreamTask?.id ?? '';
  const rewrite = (text: string): string => hide(withOwnTaskId(text, theirs, taskId));
  const metadata = Object.fromEntries(
    Object.entries(error.metadata).map(([key, value]) => [key, value === theirs ? taskId : rewrite(value)]),
  );
  const detail = withoutAddresses(error.message, error.kind, addresses);
  const message = rewrite(prefix === undefined ? detail : `${prefix}: ${detail}`);
  const { extraDetails } = error;
  const isSame = kind === error.kind && message === error.message && extraDetails.length === 0;
  if (isSame && upstreamTask === undefined) return error;
  const shown = (text: string): string => rewrite(addresses.reduce(withoutAgent, text));
  const original = hide(error.message);
  const mapped = new A2AError(kind, message, {
    violations: error.violations.map(({ field, description }) => ({ field, description: rewrite(description) })),
    metadata,
    details: extraDetails.map((one) => mapTexts(one, shown) as typeof one),
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    // The log gets the original too, unless the original quotes credentials.
    cause: original === error.message ? error : new Error(original),
  });
  if (isRefusal(error)) markRefusal(mapped);
  return isUndelivered(error) ? markUndelivered(mapped) : mapped;
}
