import type { CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import type { Principal } from '../core/model/principal.ts';
import { HookFailure } from './hook-runner.ts';
import type { AuthRequest, Caller, Challenge } from './hooks.ts';
import { principalIds, principalOf } from './principals.ts';

/** Characters of the longest id, by which tasks are stored. */
const maxId = 256;
/** Bytes of JSON of a caller's attributes. */
const maxAttributes = 8_192;

/** The request as a hook sees it. */
export function hookRequest(facts: CallerFacts): AuthRequest {
  let headers: Readonly<Record<string, string>> | undefined;
  const { host, remoteAddress, encrypted, binding, path = '/' } = facts;
  return {
    header: (name) => facts.header(name.toLowerCase()),
    get headers() {
      headers ??= Object.freeze(
        Object.fromEntries(
          facts.headerNames().flatMap((name) => {
            const value = facts.header(name);
            return value === undefined ? [] : [[name, value]];
          }),
        ),
      );
      return headers;
    },
    host,
    remoteAddress,
    encrypted,
    get certificate() {
      return facts.certificate;
    },
    binding,
    path,
    get agent() {
      const named = binding === 'grpc' || binding === 'connect' || binding === 'grpc-web';
      return facts.agent ?? (named ? facts.header('a2a-agent') : undefined);
    },
  };
}

/** Whether an answer of `authenticate` is a challenge. Throws HookFailure for one that no header can hold. */
export function isChallenge(answer: Caller | Challenge): answer is Challenge {
  if (!isObject(answer) || !('challenge' in answer)) return false;
  const { challenge, message } = answer as Readonly<Record<keyof Challenge, unknown>>;
  if (typeof challenge !== 'string' || !/^[\x21-\x7e][\x20-\x7e]{0,1023}$/.test(challenge)) {
    throw new HookFailure('its challenge is no value of WWW-Authenticate');
  }
  if (message !== undefined && typeof message !== 'string')
    throw new HookFailure('the message of its challenge is no text');
  return true;
}

const known: ReadonlySet<string> = new Set(['id', 'agents', 'scopes', 'tenants', 'attributes', 'expires']);

/**
 * The principal of a caller that a hook has recognised.
 *
 * @param hook the id of the hooks
 * @throws HookFailure for anything that is no caller: a misspelt `scopes` would grant all
 * @throws A2AError `unauthenticated` for an expired caller
 */
export function principalOfCaller(answer: unknown, hook: string): Principal {
  if (!isObject(answer)) {
    const what = answer === null ? 'null' : typeof answer;
    throw new HookFailure(`it returned ${what}, neither a caller with an id, a challenge, nor undefined`);
  }
  const unknown = Object.keys(answer).find((key) => !known.has(key));
  if (unknown !== undefined) {
    const keys = [...known].join(', ');
    throw new HookFailure(`it returned a caller with the unknown key ${JSON.stringify(unknown)}; known are ${keys}`);
  }
  const { id, attributes, expires } = answer;
  if (typeof id !== 'string' || id.length === 0 || id.length > maxId || /\p{Cc}/u.test(id)) {
    throw new HookFailure(
      `it returned a caller whose id is no text of 1 to ${maxId} characters without control characters`,
    );
  }
  const until = expires === undefined ? undefined : expires instanceof Date ? expires.getTime() : expires;
  if (until !== undefined && (typeof until !== 'number' || Number.isNaN(until))) {
    throw new HookFailure('it returned a caller whose expires is neither a date nor milliseconds since the epoch');
  }
  if (until !== undefined && until <= Date.now()) throw new A2AError('unauthenticated', 'The credential has expired');
  const grant = { agents: names(answer, 'agents'), scopes: names(answer, 'scopes'), tenants: names(answer, 'tenants') };
  return {
    ...principalOf(principalIds.own(id), grant),
    ...(attributes !== undefined && { attributes: jsonOf(attributes) }),
    ...(until !== undefined && Number.isFinite(until) && { until }),
    credential: { kind: 'hook', hook },
  };
}

function names(answer: JsonObject, key: string): readonly string[] | undefined {
  const value = answer[key];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new HookFailure(`it returned a caller whose ${key} is no list of texts`);
}

/** A copy, so that neither the hook nor an agent changes what others see. */
function jsonOf(attributes: unknown): JsonObject {
  let text: string | undefined;
  try {
    text = isObject(attributes) ? JSON.stringify(attributes) : undefined;
  } catch {
    text = undefined;
  }
  if (text === undefined || !text.startsWith('{'))
    throw new HookFailure('it returned attributes that are no JSON object');
  if (Buffer.byteLength(text) > maxAttributes) {
    throw new HookFailure(`it returned attributes of more than ${maxAttributes} bytes of JSON`);
  }
  return JSON.parse(text);
}
