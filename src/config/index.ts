export type { AnonymousAccess, AuthSettings } from '../auth/settings.ts';
export { defaultConfig, loadConfig } from './load.ts';
export { ConfigError, type ConfigProblem, formatProblem } from './report.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './scalars.ts';
export type { SigningConfig, SigningKeyConfig, TrustConfig } from './sections/signing-schema.ts';
export { withoutPassword } from './sections/store.ts';
export type {
  AgentConfig,
  Config,
  ConfigOverrides,
  ListenConfig,
  McpConfig,
  ModuleAgentConfig,
  ReferenceAgentConfig,
  TlsConfig,
  UpstreamConfig,
} from './types.ts';
export { isLoopbackHost, reservedNames } from './types.ts';
