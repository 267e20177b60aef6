export { isLoopbackHost } from './addresses.ts';
export { configOfSettings, defaultConfig, loadConfig } from './load.ts';
export { ConfigError, formatProblem } from './report.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './scalars.ts';
export type { AgentConfig } from './sections/agents.ts';
export { isLocalOnly, listenerUrl } from './sections/listen.ts';
export { withoutPassword } from './sections/store.ts';
export type { UpstreamConfig } from './sections/upstream.ts';
export type { Config, ConfigOverrides } from './types.ts';
