import { type Config, isLocalOnly } from '../../config/index.ts';
import { A2AError } from '../../core/model/errors.ts';
import { canonicalText } from './fingerprint.ts';

/** Settings that only a restart changes, by their paths. */
const fixed = [
  'listen.host',
  'listen.port',
  'listen.publicUrl',
  'store',
  'durability',
  'cards.signing',
  'preview',
  'tracing',
  'limits.headers',
  'limits.requestTimeout',
  'limits.slowReader',
  'limits.buffered',
] as const;

/** The part of a configuration that can be applied without a restart. */
export interface Reloadable {
  readonly config: Config;
  /** Paths of changed settings that take effect after a restart. */
  readonly restart: readonly string[];
}

/**
 * Selects what can be applied to a running gateway; the other settings keep their values.
 *
 * @throws A2AError `internal` where applying only a part would be unsafe
 */
export function reloadable(wanted: Config, running: Config): Reloadable {
  if (isLocalOnly(wanted.listen) !== isLocalOnly(running.listen)) {
    // The defaults for anonymous access and for limits depend on it.
    throw new A2AError('internal', 'switching between loopback-only and reachable by other machines takes a restart');
  }
  const restart: string[] = [];
  let config = withTls(wanted, running, restart);
  for (const path of fixed) {
    const [section = '', key] = path.split('.');
    const value = valueAt(running, section, key);
    if (canonicalText(value) === canonicalText(valueAt(wanted, section, key))) continue;
    restart.push(path);
    config = { ...config, [section]: key === undefined ? value : { ...sectionOf(config, section), [key]: value } };
  }
  return { config, restart };
}

/** Certificates and keys can be replaced; whether TLS is on, and whether client certificates are requested, cannot. */
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

const valueAt = (config: Config, section: string, key: string | undefined): unknown =>
  key === undefined ? config[section as keyof Config] : sectionOf(config, section)[key];
