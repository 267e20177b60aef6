import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';

/**
 * No test reaches out: names other than this machine's are not found. Webhooks and cards of tests name hosts that must
 * not be contacted.
 */

const isLocal = (name: string): boolean => isIP(name) !== 0 || name === '' || /(^|\.)localhost\.?$/i.test(name);

const notFound = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
    hostname: name,
  });

type Callback = (error: NodeJS.ErrnoException) => void;

const { lookup } = dns;
const { lookup: promised } = dns.promises;

dns.lookup = ((name: string, ...rest: unknown[]) => {
  if (isLocal(name ?? '')) return (lookup as (...all: unknown[]) => void)(name, ...rest);
  const callback = rest.at(-1) as Callback;
  setImmediate(() => callback(notFound(name)));
}) as typeof lookup;

dns.promises.lookup = ((name: string, ...rest: unknown[]) =>
  isLocal(name ?? '')
    ? (promised as (...all: unknown[]) => Promise<unknown>)(name, ...rest)
    : Promise.reject(notFound(name))) as typeof promised;

syncBuiltinESMExports();
