import { isIPv4 } from 'node:net';
import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Principal } from '../core/model/principal.ts';
import { principalIds } from './principals.ts';
import type { AnonymousAccess } from './settings.ts';

/** The principal that all callers without credentials share. */
export const anonymous: Principal = { id: principalIds.anonymous, anonymous: true };

/** The anonymous principal of callers on this machine. */
const localUser: Principal = { ...anonymous, local: true };

/**
 * Headers that reverse proxies, load balancers and content delivery networks add to requests, in lower case. A request
 * with one of them may come from any machine.
 */
const forwarding: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'cdn-loop', 'front-end-https', 'x-nginx-proxy', 'x-scheme', 'x-url-scheme'],
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-remote-ip', 'x-remote-addr', 'x-proxyuser-ip', 'client-ip'],
  ...['true-client-ip', 'cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'cf-visitor', 'cf-ipcountry', 'cf-worker'],
  ...['fastly-client-ip', 'fly-client-ip', 'incap-client-ip', 'proxy-client-ip', 'wl-proxy-client-ip'],
]);

/** Prefixes of further such headers. */
const forwardingFamilies = ['x-forwarded-', 'x-original-', 'x-envoy-', 'x-arr-', 'x-azure-'];

/** Results by header name, because most requests have the same headers. */
const judged = new Map<string, boolean>();
/** Maximum number of cached names, because callers choose them. */
const mostJudged = 1_000;

/** Returns the name of the first header that shows that a request was forwarded. */
function forwardingIn(names: readonly string[]): string | undefined {
  for (const name of names) if (judged.get(name) ?? judge(name)) return name;
  return undefined;
}

function judge(name: string): boolean {
  const isForwarding = forwarding.has(name) || forwardingFamilies.some((family) => name.startsWith(family));
  if (judged.size < mostJudged) judged.set(name, isForwarding);
  return isForwarding;
}

/** Wraps a function so that it caches its latest result: consecutive requests mostly repeat a header. */
function withLatest<T>(judge: (text: string) => T): (text: string) => T {
  let latest: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    if (latest?.text !== text) latest = { text, result: judge(text) };
    return latest.result;
  };
}

/** Media types that a web page cannot send to another origin without a preflight request. */
const preflighted = /^application\/(?:json|proto|x-protobuf|[\w.-]+\+(?:json|proto)|grpc(?:[-+][\w.+-]+)?)$/;

/**
 * Matches 127.0.0.0/8. net.BlockList is not used, because it allocates memory that only a full garbage collection
 * frees.
 */
const loopback4 = /^127(?:\.\d{1,3}){3}$/;

export interface AnonymousOptions {
  readonly access: AnonymousAccess;
  /** Trusted origins of web pages, in addition to the gateway's own. */
  readonly origins: readonly string[];
  /** Value of `WWW-Authenticate` for refused callers. */
  readonly challenge?: string;
}

/** Converts origins to their canonical form. */
export const originSet = (origins: readonly string[]): ReadonlySet<string> =>
  new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));

/**
 * Authenticates callers without credentials. With `local`, it refuses requests from web pages, requests by DNS names
 * that were rebound to this machine, and requests from recognisable proxies on it. The error is `unauthenticated`, or
 * `contentTypeNotSupported` if only the media type is wrong. A proxy or tunnel that speaks HTTP/1.1 and adds no header
 * cannot be recognised.
 */
export function createAnonymous({ access, origins, challenge }: AnonymousOptions): Authenticate {
  if (access === 'anyone') return () => anonymous;
  const trusted = originSet(origins);
  return (caller) => {
    const doubt = access === 'none' ? 'Credentials are required' : doubtOf(caller, trusted);
    if (doubt !== undefined) throw new A2AError('unauthenticated', doubt, { challenge });
    requirePreflighted(caller);
    return localUser;
  };
}

/** Whether a request comes from this machine, and neither from a web page nor from a recognisable proxy. */
export const isLocal = (caller: CallerFacts): boolean => doubtOf(caller, new Set()) === undefined;

function doubtOf(caller: CallerFacts, trusted: ReadonlySet<string>): string | undefined {
  if (!isLoopback(caller.remoteAddress)) return 'Without credentials only requests from this machine are served';
  if (!isLoopbackHost(caller.host ?? '')) return 'Without credentials the Host must be a loopback name';
  const page = pageDoubt(caller, trusted);
  if (page !== undefined) return page;
  // By default, nginx uses HTTP/1.0 for its backends and adds no header.
  if (caller.httpVersion === '1.0') return 'Without credentials HTTP/1.0 is not served, because proxies use it';
  const forwarded = forwardingIn(caller.headerNames());
  return forwarded && `Without credentials forwarded requests are not served (${forwarded})`;
}

/** Returns the reason why a request may come from a page of another origin. Undefined if it cannot. */
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

/** Refuses bodies of media types that a web page may send to any origin. */
export function requirePreflighted(caller: CallerFacts): void {
  if (!caller.hasBody) return;
  if (isPreflighted(caller.header('content-type') ?? '')) return;
  const message = 'Without credentials a body must be JSON, protobuf or gRPC by Content-Type';
  throw new A2AError('contentTypeNotSupported', message);
}

const isPreflighted = withLatest((type) => preflighted.test(type.split(';', 1)[0]?.trim().toLowerCase() ?? ''));

const isLoopback = withLatest(isLoopbackAddress);

function isLoopbackAddress(address: string): boolean {
  const ip = /^::ffff:(\d+\..*)$/i.exec(address)?.[1] ?? address;
  return ip === '::1' || (loopback4.test(ip) && isIPv4(ip));
}

const isLoopbackHost = withLatest((host) => {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || isLoopbackAddress(name.replace(/^\[(.*)\]$/, '$1'));
});

/** Whether an origin is the gateway's own, so that the gateway served the page. */
const isOwn = (origin: string, { host, encrypted }: CallerFacts): boolean =>
  origin.toLowerCase() === `${encrypted ? 'https' : 'http'}://${(host ?? '').toLowerCase()}`;
