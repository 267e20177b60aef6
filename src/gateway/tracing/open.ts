import type { ContextManager, Tracer } from '@opentelemetry/api';
import type { TracingConfig } from '../../config/sections/tracing-schema.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { packageVersion } from '../compose/version.ts';

/** Traces that are made. */
export interface RunningTracing extends Tracing {
  /** Sends what is left, for up to `graceMs` milliseconds. Never rejects. */
  close(graceMs: number): Promise<void>;
}

export interface TracingOptions {
  /** Undefined: only an SDK that the program registered makes traces. */
  readonly config: TracingConfig | undefined;
  readonly logger: Logger;
  /** Whether code of agents finds the SDK that the configuration asks for as the one of its process. */
  readonly global: boolean;
}

/** What libraries of OpenTelemetry find each other by, whatever version of its API each of them brings along. */
interface GlobalApi {
  readonly trace?: { getTracer(name: string, version?: string): Tracer };
  readonly context?: ContextManager;
}

const globalApi = (): GlobalApi =>
  (globalThis as { readonly [key: symbol]: GlobalApi | undefined })[Symbol.for('opentelemetry.js.api.1')] ?? {};

const scope = 'a2a-gateway';

/**
 * Makes traces where somebody wants them: the configuration file, else an SDK of OpenTelemetry that the program
 * registered before the gateway started, else the environment. Undefined where nobody does; nothing is loaded then.
 */
export async function openTracing({ config, logger, global }: TracingOptions): Promise<RunningTracing | undefined> {
  const { trace, context } = globalApi();
  if (trace && !config?.told) {
    const { createTracing } = await import('./otel.ts');
    const tracing = createTracing({ tracer: trace.getTracer(scope, packageVersion()), contexts: context });
    // Whoever registered it sends what it has.
    return { ...tracing, close: async () => undefined };
  }
  if (!config) return undefined;
  const [{ startSdk }, { createTracing }] = await Promise.all([import('./sdk.ts'), import('./otel.ts')]);
  const version = packageVersion();
  const { provider, close } = startSdk(config, version, logger);
  const shared = global ? await share(provider) : undefined;
  const tracing = createTracing({ tracer: provider.getTracer(scope, version), contexts: shared?.contexts });
  return {
    ...tracing,
    async close(graceMs) {
      await close(graceMs);
      shared?.withdraw();
    },
  };
}

/** Registers an SDK for the whole process. */
async function share(provider: Parameters<typeof import('@opentelemetry/api')['trace']['setGlobalTracerProvider']>[0]) {
  const [api, { AsyncLocalStorageContextManager }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
  ]);
  const contexts = new AsyncLocalStorageContextManager().enable();
  api.trace.setGlobalTracerProvider(provider);
  api.context.setGlobalContextManager(contexts);
  return {
    contexts,
    withdraw(): void {
      api.trace.disable();
      api.context.disable();
    },
  };
}
