export type { AnonymousAccess, AuthSettings } from '../auth/settings.ts';
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
} from './config.ts';
export { isLoopbackHost, reservedNames } from './config.ts';
export { defaultConfig, loadConfig } from './load.ts';
export { ConfigError, type ConfigProblem, formatProblem } from './problem.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './scalars.ts';
export type { SigningConfig, SigningKeyConfig, TrustConfig } from './signing-schema.ts';
