import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import { createExporter, delivery, queue, type SignalDeps } from './otlp.ts';

/** Largest number of characters of an attribute of a line. Most stacks are shorter. */
const longest = 8_192;

/**
 * The severities of OpenTelemetry's log data model for pino's levels. Their numbers are listed here because older versions of the
 * packages export them elsewhere.
 */
const severities: readonly (readonly [from: number, name: string, severity: number])[] = [
  [50, 'ERROR', 17],
  [40, 'WARN', 13],
  [30, 'INFO', 9],
  [0, 'DEBUG', 5],
];

/** Starts sending log lines. `write` gets each as the JSON that pino writes, without the secrets of the configuration. */
export function startLogs(deps: SignalDeps) {
  const provider = new LoggerProvider({
    resource: deps.resource,
    logRecordLimits: { attributeValueLengthLimit: longest },
    processors: [
      new BatchLogRecordProcessor({
        exporter: createExporter('logs', deps, ProtobufLogsSerializer),
        ...queue,
        ...delivery,
      }),
    ],
  });
  const logger = provider.getLogger(deps.scope.name, deps.scope.version);
  return {
    write(line: string): void {
      const record = parsedJson(line);
      // Replacing a secret may have made the line invalid JSON.
      if (!isObject(record)) return;
      const { time, level, msg, err, trace: traceId, span: spanId, pid: _, hostname: __, ...fields } = record;
      const [, severityText, severityNumber] = severities.find(([from]) => Number(level) >= from) ?? [0, 'DEBUG', 5];
      const spanContext = { traceId: String(traceId), spanId: String(spanId), traceFlags: TraceFlags.NONE };
      logger.emit({
        ...(typeof time === 'number' && { timestamp: time }),
        severityNumber,
        severityText,
        body: String(msg ?? ''),
        attributes: { ...fields, ...exceptionOf(err) } as Record<string, string>,
        // A trace context with invalid ids is ignored.
        ...(traceId !== undefined && { context: trace.setSpanContext(ROOT_CONTEXT, spanContext) }),
      });
    },
    shutdown: () => provider.shutdown(),
  };
}

/** An error by the semantic conventions for exceptions; its causes follow in the stack. */
function exceptionOf(err: unknown): JsonObject {
  if (err === undefined) return {};
  if (!isObject(err)) return { 'exception.message': String(err) };
  return { 'exception.type': err.type, 'exception.message': err.message, 'exception.stacktrace': stackOf(err) };
}

function stackOf({ stack, cause }: JsonObject): string {
  const own = String(stack ?? '');
  if (cause === undefined) return own;
  return `${own}\nCaused by: ${isObject(cause) ? stackOf(cause) : String(cause)}`;
}
