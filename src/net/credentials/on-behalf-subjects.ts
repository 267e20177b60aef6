import { hash, randomUUID } from 'node:crypto';
import type { StateSpace } from '../../core/model/agent.ts';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import type { ShownCredentials } from '../../core/model/principal.ts';
import type { OnBehalfSettings, SettingsOf } from './outbound-settings.ts';
import { readSigningKey } from './signing-key.ts';
import { createTokenSource, type TokenSourceOptions } from './token-source.ts';

/** Subjects of tokens for an issuer: a token of the caller, of the gateway, or a JWT that the gateway signs. */

/** The caller that a request is sent for. */
export interface OutboundCaller extends ShownCredentials {
  /** Its id in this gateway. */
  readonly principal?: string;
  /** Store of the request's task, shared by all replicas. Absent: there is no task. */
  readonly kept?: Pick<StateSpace, 'get' | 'set'>;
}

/** Whom a token is asked for. */
export interface Subject {
  readonly key: string;
  /** The fields that say so. */
  readonly fields: () => Promise<Record<string, string>>;
  /** The claims of the token that is exchanged, if it is a JWT. */
  readonly claims?: () => JsonObject | undefined;
}

/** Prefix of the types of tokens (RFC 8693 section 3). */
export const tokenTypes = 'urn:ietf:params:oauth:token-type:';

/** The claims of a JWT, unverified: the issuer's answer, or what is only compared with it. */
export function claimsOf(token: string): JsonObject | undefined {
  const parts = token.split('.');
  const [head, claims] = parts.map((part) => parsedJson(Buffer.from(part, 'base64url').toString()));
  return parts.length === 3 && isObject(head) && typeof head.alg === 'string' && isObject(claims) ? claims : undefined;
}

/** A caller's token in `Authorization`. */
const tokenIn = ({ authorization = '' }: ShownCredentials): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1];

const keyOf = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** Sources of subjects. */
export interface Subjects {
  ofCaller(caller: OutboundCaller): Subject | undefined;
  /** For callers without a token. Absent: they are refused. */
  readonly instead?: Subject | undefined;
  /** Called when the issuer refuses: the actor's token may be the reason. */
  readonly refused?: () => unknown;
  /** Whether a caller's id suffices: then nothing is kept. */
  readonly withoutCaller: boolean;
  /** Names of the subjects that an issuer refuses. */
  readonly names: string;
  /** Message for a caller that has none. */
  readonly missing: string;
}

const missing = (agent: string, type: string, what: string, instead: string): string =>
  `The agent ${agent} is called with a token for its caller (auth.type ${type}), and this caller has ${what}; send a bearer token of its issuer, or ${instead}`;

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

/** Seconds that an assertion of the gateway's own is valid. */
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
      // Of a token that the gateway has verified: it signs for no other one.
      const sub = subject === 'principal' ? principal : /^jwt:[^#]*#(.+)$/s.exec(principal)?.[1];
      if (!sub) return undefined;
      return { key: keyOf('principal', principal), fields: async () => ({ ...grant, assertion: await sign(sub) }) };
    },
    withoutCaller: true,
    names: 'the JWT about the caller',
    missing: missing(agent, 'jwtBearer', 'no verified one', 'set auth.subject of the agent to principal'),
  };
}

/** @param agent name of the agent that the tokens are for */
export const subjectsOf = (settings: OnBehalfSettings, agent: string, options: TokenSourceOptions): Subjects =>
  settings.type === 'exchange' ? exchangeSubjects(settings, agent, options) : bearerSubjects(settings, agent);
