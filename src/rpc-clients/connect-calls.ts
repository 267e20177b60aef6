import { type CallOptions, ConnectError, type Interceptor } from '@connectrpc/connect';
import { A2AError } from '../core/model/errors.ts';
import { type AnswerFacts, AnswerReader, type CallFacts, errorOfStatus, requestHeaders } from './facts.ts';

export { A2AError, type ErrorKind } from '../core/model/errors.ts';
export type { AnswerFacts, CallFacts } from './facts.ts';

/**
 * An interceptor that names the version of the protocol in every call, and what the caller says in all of them. Headers of a
 * call of its own take precedence.
 */
export function a2a(facts: CallFacts = {}): Interceptor {
  return (next) => (request) => {
    for (const [name, value] of Object.entries(requestHeaders(request.service.typeName, facts))) {
      if (!request.header.has(name)) request.header.set(name, value);
    }
    return next(request);
  };
}

/** Options for one call, which collect what the agent says beside its answer. */
export interface TrackedCall extends AnswerFacts {
  /** For the call's second parameter. */
  readonly options: Required<Pick<CallOptions, 'headers' | 'onHeader' | 'onTrailer'>>;
}

/** Says something in one call, and reads what the agent says beside its answer: complete when the call has ended. */
export function tracked(facts: CallFacts = {}): TrackedCall {
  const answer = new AnswerReader();
  const read = (headers: Headers): void => answer.read((name) => headers.get(name));
  return {
    options: { headers: requestHeaders('', facts), onHeader: read, onTrailer: read },
    get extensions() {
      return answer.extensions;
    },
    get losses() {
      return answer.losses;
    },
  };
}

/** The error of a call, as an A2AError with its kind, details, faulty fields, and when to try again. */
export function errorOf(thrown: unknown): A2AError {
  if (thrown instanceof A2AError) return thrown;
  const error = ConnectError.from(thrown);
  const details = error.details.flatMap((detail) =>
    'type' in detail ? [{ typeUrl: detail.type, value: detail.value }] : [],
  );
  const retryAfter = error.metadata.get('retry-after') ?? undefined;
  return errorOfStatus({ code: error.code, message: error.rawMessage, details }, retryAfter, thrown);
}
