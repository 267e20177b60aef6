import { type Config, isLoopbackHost } from '../../config/index.ts';
import { A2AError } from '../../core/model/errors.ts';
import { canonicalText } from './fingerprint.ts';

/** What counts as long as the process lives, by its path in the configuration. */
const fixed = [
  'listen.host',
  'listen.port',
  'listen.publicUrl',
  'store',
  'durability',
  'cards.signing',
  'tracing',
  'limits.headers',
  'limits.requestTimeout',
  'limits.slowReader',
  'limits.buffered',
] as const;

/** A configuration as it can count without a restart. */
export interface Reloadable {
  readonly config: Config;
  /** Paths of what was changed and does not count before a restart. */
  readonly restart: readonly string[];
}

/**
 * What of a configuration can count at once in a gateway that runs with another one: the rest stays as it is.
 *
 * @throws A2AError `internal` where it would be wrong to let a part count without the rest
 */
export function reloadable(wanted: Config, running: Config): Reloadable {
  if (isLocal(wanted) !== isLocal(running)) {
    // Who gets in without credentials, and what is bounded, was decided by that.
    const message = 'makes a gateway of this machine one for others, or the other way round, which takes a restart';
    throw new A2AError('internal', message);
  }
  const restart: string[] = [];
  let config = withTls(wanted, running, restart);
  for (const path of fixed) {
    const [section = '', key] = path.split('.');
    const there = partOf(running, section, key);
    if (canonicalText(there) === canonicalText(partOf(wanted, section, key))) continue;
    restart.push(path);
    config = { ...config, [section]: key === undefined ? there : { ...sectionOf(config, section), [key]: there } };
  }
  return { config, restart };
}

const isLocal = ({ listen }: Config): boolean => isLoopbackHost(listen.host) && listen.publicUrl === undefined;

/** Certificates and keys can be replaced; whether TLS is spoken, and whether certificates are asked for, cannot. */
function withTls(wanted: Config, running: Config, restart: string[]): Config {
  const [tls, now] = [wanted.listen.tls, running.listen.tls];
  const [mtls, mtlsNow] = [wanted.auth.mtls, running.auth.mtls];
  let { listen, auth } = wanted;
  if ((tls === undefined) !== (now === undefined)) {
    restart.push('listen.tls');
    listen = { ...listen, tls: now };
  } else if (tls && now && (tls.clientCa === undefined) !== (now.clientCa === undefined)) {
    restart.push('listen.tls.clientCa');
    listen = { ...listen, tls: { ...tls, clientCa: now.clientCa } };
  }
  if ((mtls?.required ?? false) !== (mtlsNow?.required ?? false)) {
    restart.push('auth.mtls.required');
    if (mtls) auth = { ...auth, mtls: { ...mtls, required: mtlsNow?.required ?? false } };
  }
  return { ...wanted, listen, auth };
}

const sectionOf = (config: Config, section: string): Readonly<Record<string, unknown>> =>
  config[section as keyof Config] as unknown as Readonly<Record<string, unknown>>;

const partOf = (config: Config, section: string, key: string | undefined): unknown =>
  key === undefined ? config[section as keyof Config] : sectionOf(config, section)[key];
