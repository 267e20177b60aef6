import { isIPv4 } from 'node:net';
import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Principal } from '../core/model/principal.ts';
import { principalIds } from './principals.ts';

/** All callers without credentials are one principal. */
export const anonymous: Principal = { id: principalIds.anonymous, anonymous: true };

/** The same principal, where it is somebody on this machine. */
const localUser: Principal = { ...anonymous, local: true };

/**
 * Headers that reverse proxies, load balancers and content delivery networks add to what they pass on, in lower case.
 * Clients send none of them, and a request that has one may come from anywhere.
 */
const forwarding: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'cdn-loop', 'front-end-https', 'x-nginx-proxy', 'x-scheme', 'x-url-scheme'],
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-remote-ip', 'x-remote-addr', 'x-proxyuser-ip', 'client-ip'],
  ...['true-client-ip', 'cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'cf-visitor', 'cf-ipcountry', 'cf-worker'],
  ...['fastly-client-ip', 'fly-client-ip', 'incap-client-ip', 'proxy-client-ip', 'wl-proxy-client-ip'],
]);

/** What the names of whole families of such headers begin with. */
const forwardingFamilies = ['x-forwarded-', 'x-original-', 'x-envoy-', 'x-arr-', 'x-azure-'];

const isForwarding = (name: string): boolean =>
  forwarding.has(name) || forwardingFamilies.some((family) => name.startsWith(family));

/** Media types that a web page cannot send to another origin without asking first. */
const askedFirst = /^application\/(?:json|proto|x-protobuf|[\w.-]+\+(?:json|proto)|grpc(?:[-+][\w.+-]+)?)$/;

/** All of 127.0.0.0/8. Not net.BlockList, whose addresses outlive the request that asks until a full collection. */
const loopback4 = /^127(?:\.\d{1,3}){3}$/;

export interface AnonymousOptions {
  /** `local`: from this machine, where nothing makes that doubtful. `anyone`, `nobody`: as they say. */
  readonly access: 'local' | 'anyone' | 'nobody';
  /** Origins of web pages that are trusted besides the gateway's own. */
  readonly origins: readonly string[];
  /** What callers are told of the ways to show who they are. */
  readonly challenge?: string;
}

/** Origins as they are compared. */
export const originSet = (origins: readonly string[]): ReadonlySet<string> =>
  new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));

/**
 * Admits callers without credentials. Web pages, names that were rebound to this machine and recognisable proxies on it
 * are no local users: their requests are refused, saying why, with `unauthenticated`, or with `contentTypeNotSupported`
 * where only the media type is wrong. A proxy or tunnel that speaks HTTP/1.1 and adds no header cannot be recognised.
 */
export function createAnonymous({ access, origins, challenge }: AnonymousOptions): Authenticate {
  if (access === 'anyone') return () => anonymous;
  const trusted = originSet(origins);
  return (caller) => {
    const doubt = access === 'nobody' ? 'Credentials are required' : doubtOf(caller, trusted);
    if (doubt !== undefined) throw new A2AError('unauthenticated', doubt, { challenge });
    requireAskedFirst(caller);
    return localUser;
  };
}

/** Whether a request comes from this machine, and neither from a web page nor from a recognisable proxy. */
export const isLocal = (caller: CallerFacts): boolean => doubtOf(caller, nobody) === undefined;

const nobody: ReadonlySet<string> = new Set();

function doubtOf(caller: CallerFacts, trusted: ReadonlySet<string>): string | undefined {
  if (!isLoopback(caller.remoteAddress)) return 'Without credentials only this machine itself is served';
  if (!isLoopbackHost(caller.host)) return 'Without credentials the Host must be a loopback name';
  const page = pageDoubt(caller, trusted);
  if (page !== undefined) return page;
  // nginx speaks it to what stands behind it, unless it is configured otherwise, and adds no header by itself.
  if (caller.httpVersion === '1.0') return 'Without credentials HTTP/1.0 is not served, since proxies speak it';
  const forwarded = caller.headerNames().find(isForwarding);
  if (forwarded !== undefined) return `Without credentials forwarded requests are not served (${forwarded})`;
  return undefined;
}

/** Why a request could be a page's of another origin; undefined where it could not. */
export function pageDoubt(caller: CallerFacts, trusted: ReadonlySet<string>): string | undefined {
  const origin = caller.header('origin');
  if (origin !== undefined && !isOwn(origin, caller) && !trusted.has(origin.toLowerCase())) {
    return 'Without credentials pages of other origins are not served; configure listen.cors';
  }
  if (caller.header('sec-fetch-site') === 'cross-site' && origin === undefined) {
    return 'Without credentials pages of other sites are not served';
  }
  return undefined;
}

/**
 * A web page may send any other media type to any origin. The refusal says what is wrong with the request, since every
 * binding has an error for just that.
 */
export function requireAskedFirst(caller: CallerFacts): void {
  if (!caller.hasBody) return;
  const type = (caller.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (askedFirst.test(type)) return;
  const message = 'Without credentials a body must be JSON, protobuf or gRPC by Content-Type';
  throw new A2AError('contentTypeNotSupported', message);
}

function isLoopback(address: string): boolean {
  const bare = /^::ffff:(\d+\..*)$/i.exec(address)?.[1] ?? address;
  return bare === '::1' || (loopback4.test(bare) && isIPv4(bare));
}

function isLoopbackHost(host: string | undefined): boolean {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}

/** A page that the gateway served itself. */
const isOwn = (origin: string, { host, encrypted }: CallerFacts): boolean =>
  origin.toLowerCase() === `${encrypted ? 'https' : 'http'}://${(host ?? '').toLowerCase()}`;
