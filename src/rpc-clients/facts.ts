import { A2AError } from '../core/model/errors.ts';
import { defined } from '../core/model/json.ts';
import { entriesOf } from '../core/model/text.ts';
import { type ReceivedStatus, unpackError } from '../dialects/kernel/rpc-status.ts';
import { versions } from '../gen/clients/versions.ts';

/** Metadata of gRPC clients: those sent with a request, and those read with an answer. */

/** Facts that a caller sends with a request. */
export interface CallFacts {
  /** Name of the agent, at a gateway that has several. Default: its default agent. */
  readonly agent?: string;
  /** URIs of the extensions to activate. */
  readonly extensions?: readonly string[];
  /** Token for `Authorization: Bearer …`. */
  readonly bearer?: string;
  readonly apiKey?: string;
  /** Further headers, such as `idempotency-key`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Facts that an agent sends with its answer. */
export interface AnswerFacts {
  /** URIs of the extensions that it activated. */
  readonly extensions: readonly string[];
  /** Paths that the agent's dialect cannot express, and that a gateway dropped. */
  readonly losses: readonly string[];
}

/** Returns the headers of a call, with names in lower case. */
export function requestHeaders(service: string, facts: CallFacts): Record<string, string> {
  const { agent, extensions = [], bearer, apiKey, headers } = facts;
  const version = versions[service];
  // The name of the header before 1.0.
  const extensionHeader = version === '0.3' ? 'x-a2a-extensions' : 'a2a-extensions';
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...defined({ 'a2a-version': version, 'a2a-agent': agent, 'x-api-key': apiKey }),
    ...(extensions.length > 0 && { [extensionHeader]: extensions.join(', ') }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...Object.fromEntries(named),
  };
}

/** Collects facts from the headers and the trailers of an answer. */
export class AnswerReader implements AnswerFacts {
  readonly #extensions = new Set<string>();
  readonly #losses = new Set<string>();

  get extensions(): readonly string[] {
    return [...this.#extensions];
  }

  get losses(): readonly string[] {
    return [...this.#losses];
  }

  /** @param get returns the value of a header, by its name in lower case */
  read(get: (name: string) => string | null | undefined): void {
    for (const uri of entriesOf(get('a2a-extensions'))) this.#extensions.add(uri);
    for (const uri of entriesOf(get('x-a2a-extensions'))) this.#extensions.add(uri);
    for (const path of entriesOf(get('a2a-gateway-loss'))) this.#losses.add(path);
  }
}

/**
 * Returns the error for a status.
 *
 * @param retryAfter the header of this name
 * @param cause the library's own error
 */
export function errorOfStatus(status: ReceivedStatus, retryAfter: string | undefined, cause: unknown): A2AError {
  const { kind, message, violations, metadata, extraDetails: details } = unpackError(status);
  const seconds = Number(retryAfter);
  const isTime = retryAfter !== undefined && Number.isFinite(seconds) && seconds >= 0;
  return new A2AError(kind, message, { violations, metadata, details, cause, ...(isTime && { retryAfter: seconds }) });
}
