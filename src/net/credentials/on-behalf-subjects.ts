import { hash, randomUUID } from 'node:crypto';
import type { StateSpace } from '../../core/model/agent.ts';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import type { ShownCredentials } from '../../core/model/principal.ts';
import type { OnBehalfSettings, SettingsOf } from './outbound-settings.ts';
import { readSigningKey } from './signing-key.ts';
import { createTokenSource, type TokenSourceOptions } from './token-source.ts';

/**
 * Subjects of token requests to an issuer: a token of the caller, a token of the gateway, or a JWT that the gateway
 * signs.
 */

/** The caller on whose behalf a request is sent. */
export interface OutboundCaller extends ShownCredentials {
  /** Id of the caller's principal at this gateway. */
  readonly principal?: string;
  /** State of the request's task, shared by all replicas. Absent if there is no task. */
  readonly kept?: Pick<StateSpace, 'get' | 'set'>;
}

/** The subject for whom a token is requested. */
export interface Subject {
  readonly key: string;
  /** Returns the fields of the token request that identify the subject. */
  readonly fields: () => Promise<Record<string, string>>;
  /** Returns the claims of the token that is exchanged, if it is a JWT. */
  readonly claims?: () => JsonObject | undefined;
}

/** Prefix of token types (RFC 8693 section 3). */
export const tokenTypes = 'urn:ietf:params:oauth:token-type:';

/**
 * Returns the unverified claims of a JWT. Undefined for any other token. They are used only for the issuer's responses,
 * and for comparisons with them.
 */
export function claimsOf(token: string): JsonObject | undefined {
  const parts = token.split('.');
  const [head, claims] = parts.map((part) => parsedJson(Buffer.from(part, 'base64url').toString()));
  return parts.length === 3 && isObject(head) && typeof head.alg === 'string' && isObject(claims) ? claims : undefined;
}

/** Returns the caller's bearer token in `Authorization`. */
const tokenIn = ({ authorization = '' }: ShownCredentials): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1];

const keyOf = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** Sources of subjects. */
export interface Subjects {
  ofCaller(caller: OutboundCaller): Subject | undefined;
  /** Subject for callers without a token. Absent if such callers are refused. */
  readonly instead?: Subject | undefined;
  /** Called when the issuer refuses a request, because the actor's token may be the reason. */
  readonly refused?: () => unknown;
  /** Whether the caller's id suffices to request a token, so that none is stored with tasks. */
  readonly withoutCaller: boolean;
  /** Name of the subject, in messages about an issuer that refuses it. */
  readonly names: string;
  /** Error message for a caller without a subject. */
  readonly missing: string;
}

const missing = (agent: string, type: string, what: string, instead: string): string =>
  `The agent ${agent} is called with a token for its caller (auth.type ${type}), and this caller has ${what}; send a bearer token from its issuer, or ${instead}`;

function exchangeSubjects(settings: SettingsOf<'exchange'>, agent: string, options: TokenSourceOptions): Subjects {
  const { actor, subject, subjectTokenType } = settings;
  const place = `the token issuer of the actor of the agent ${agent}`;
  const own = actor?.type === 'oauth2' ? createTokenSource(actor, { ...options, place }) : undefined;
  let latest: string | undefined;
  const actorToken = async (): Promise<string | undefined> => {
    latest = own
      ? await own.get(new AbortController().signal)
      : actor?.type === 'bearer'
        ? actor.token.reveal()
        : undefined;
    return latest;
  };
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' };
  return {
    ofCaller(caller) {
      const token = tokenIn(caller);
      if (token === undefined) return undefined;
      return {
        key: keyOf('token', caller.principal ?? '', token),
        claims: () => claimsOf(token),
        async fields() {
          const acting = await actorToken();
          const type = { subject_token_type: tokenTypes + subjectTokenType };
          const actorFields = acting !== undefined && {
            actor_token: acting,
            actor_token_type: `${tokenTypes}access_token`,
          };
          return { ...grant, subject_token: token, ...type, ...actorFields };
        },
      };
    },
    instead:
      subject === 'callerOrActor'
        ? {
            key: keyOf('actor'),
            fields: async () => {
              const token = (await actorToken()) ?? '';
              return { ...grant, subject_token: token, subject_token_type: `${tokenTypes}access_token` };
            },
          }
        : undefined,
    refused: () => latest !== undefined && own?.reject(latest),
    withoutCaller: false,
    names: "the caller's token",
    missing: missing(agent, 'exchange', 'none', 'set auth.subject of the agent to callerOrActor'),
  };
}

/** Seconds for which an assertion signed by the gateway is valid. */
const assertionLife = 60;

function bearerSubjects(settings: SettingsOf<'jwtBearer'>, agent: string): Subjects {
  const { privateKey, subject, clientId = '', tokenUrl } = settings;
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' };
  if (privateKey === undefined) {
    return {
      ofCaller(caller) {
        const token = tokenIn(caller);
        if (token?.split('.').length !== 3) return undefined;
        const key = keyOf('token', caller.principal ?? '', token);
        return { key, claims: () => claimsOf(token), fields: async () => ({ ...grant, assertion: token }) };
      },
      withoutCaller: false,
      names: "the caller's token",
      missing: missing(agent, 'jwtBearer', 'no JWT', 'set auth.privateKey of the agent'),
    };
  }
  const { keyId, issuer = clientId, assertionAudience = tokenUrl } = settings;
  const sign = async (sub: string): Promise<string> => {
    const [{ key, algorithm }, { SignJWT }] = await Promise.all([readSigningKey(privateKey), import('jose')]);
    return new SignJWT({})
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(issuer)
      .setSubject(sub)
      .setAudience(assertionAudience)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${assertionLife}s`)
      .sign(key);
  };
  return {
    ofCaller({ principal = '' }) {
      // The subject of a token that the gateway has verified. The gateway signs for no other subject.
      const sub = subject === 'principal' ? principal : /^jwt:[^#]*#(.+)$/s.exec(principal)?.[1];
      if (!sub) return undefined;
      return { key: keyOf('principal', principal), fields: async () => ({ ...grant, assertion: await sign(sub) }) };
    },
    withoutCaller: true,
    names: 'the JWT about the caller',
    missing: missing(agent, 'jwtBearer', 'no verified one', 'set auth.subject of the agent to principal'),
  };
}

/** Creates the source of subjects. `agent` is the name of the agent for which tokens are requested. */
export const subjectsOf = (settings: OnBehalfSettings, agent: string, options: TokenSourceOptions): Subjects =>
  settings.type === 'exchange' ? exchangeSubjects(settings, agent, options) : bearerSubjects(settings, agent);
