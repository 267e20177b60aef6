import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../../config/sections/tracing.ts';
import { createExporter, delivery, queue, type SignalDeps } from './otlp.ts';

/** OpenTelemetry's SDK. It is large, and loaded only where the configuration or the environment asks for traces. */

/** Largest number of characters of an attribute of a span. */
const longest = 1_024;

/** Starts sending spans. */
export const startTraces = (deps: SignalDeps): TracerProvider =>
  new TracerProvider({
    resource: deps.resource,
    sampler: samplerOf(deps.config),
    spanLimits: { attributeValueLengthLimit: longest },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createExporter('traces', deps, ProtobufTraceSerializer),
        ...queue,
        ...delivery,
      }),
    ],
  });

function samplerOf({ ratio, parentBased }: TracingConfig): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}
