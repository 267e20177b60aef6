import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { Secret } from '../../net/secret.ts';
import type { ReportProblem } from '../resolve.ts';
import type { ConfigFile } from '../schema.ts';
import { defaults, type UpstreamConfig } from '../types.ts';
import { resolveTrust } from './signing-schema.ts';

type UpstreamInput = Extract<NonNullable<ConfigFile['agents']>[string], { kind: 'upstream' }>;

/** An upstream as the file says it, with its defaults and with absolute paths. */
export function resolveUpstream(
  input: UpstreamInput,
  locate: (path: string) => string,
  report: ReportProblem,
): UpstreamConfig {
  return {
    kind: 'upstream',
    ...resolveReach(input, locate, report),
    dialect: input.dialect ?? 'auto',
    transport: input.transport ?? 'auto',
    silence: input.silence ?? defaults.silence,
    strict: input.strict ?? false,
    ...(input.quirks && { quirks: input.quirks }),
    trust: resolveTrust(input.trust, locate),
  };
}

/** Where something of others is, and what it is shown of the gateway: by `auth`, or by the URL itself. */
export function resolveReach(
  { url: { url, user }, auth }: Pick<UpstreamInput, 'url' | 'auth'>,
  locate: (path: string) => string,
  report: ReportProblem,
): Pick<UpstreamConfig, 'url' | 'auth'> {
  if (user !== undefined && auth !== undefined) {
    report(['auth'], 'the URL holds a name and a password already; take them out, or leave auth away');
  }
  if (auth?.type === 'mtls' && !url.startsWith('https:')) {
    report(['auth', 'type'], 'a client certificate can be shown to an https URL only');
  }
  return {
    url,
    auth:
      user === undefined
        ? auth && settingsOf(auth, locate)
        : { type: 'basic', username: user.username, password: new Secret(user.password) },
  };
}

function settingsOf(auth: NonNullable<UpstreamInput['auth']>, locate: (path: string) => string): OutboundAuthSettings {
  if (auth.type === 'oauth2') return { ...auth, scopes: auth.scopes ?? [] };
  if (auth.type === 'apiKey') {
    const { header, ...rest } = auth;
    return header === undefined ? rest : { ...rest, header };
  }
  if (auth.type !== 'mtls') return auth;
  const { ca, ...files } = auth;
  return {
    ...files,
    cert: locate(files.cert),
    key: locate(files.key),
    ...(ca !== undefined && { ca: locate(ca) }),
  };
}
