export type { AnonymousAccess, AuthSettings } from '../auth/settings.ts';
export { isLoopbackHost } from './addresses.ts';
export { defaultConfig, loadConfig } from './load.ts';
export { ConfigError, type ConfigProblem, formatProblem } from './report.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './scalars.ts';
export {
  type AgentConfig,
  type ModuleAgentConfig,
  type ReferenceAgentConfig,
  reservedNames,
} from './sections/agents.ts';
export type { SigningConfig, SigningKeyConfig, TrustConfig } from './sections/cards.ts';
export type { ListenConfig, TlsConfig } from './sections/listen.ts';
export type { McpConfig } from './sections/mcp.ts';
export { withoutPassword } from './sections/store.ts';
export type { UpstreamConfig } from './sections/upstream.ts';
export type { Config, ConfigOverrides } from './types.ts';
