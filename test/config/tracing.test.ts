import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, { file: '/gateway.yaml', env }).tracing;

const inFile = 'tracing: { endpoint: "http://collector:4318" }';

it('tracing sends nothing by itself', () => {
  expect(read('')).toBeUndefined();
  expect(read('', { OTEL_SERVICE_NAME: 'gw', OTEL_TRACES_SAMPLER: 'always_on' })).toBeUndefined();
});

it('tracing reads the section, whose secrets are not shown', () => {
  const tracing = read(
    'tracing: { endpoint: "https://otel.example.com/otlp/", headers: { x-key: s3cret }, sampleRatio: 0.25, serviceName: gw }',
  );
  expect(tracing).toMatchObject({
    inFile: true,
    endpoint: 'https://otel.example.com/otlp/v1/traces',
    ratio: 0.25,
    parentBased: true,
    serviceName: 'gw',
  });
  expect(tracing?.headers.get('x-key')?.reveal()).toBe('s3cret');
  expect(JSON.stringify([...(tracing?.headers ?? [])])).not.toContain('s3cret');
});

it('tracing finds the path for traces below the receiver, unless it is there already', () => {
  expect(read(inFile)?.endpoint).toBe('http://collector:4318/v1/traces');
  expect(read('tracing: { endpoint: "http://collector:4318/v1/traces" }')?.endpoint).toBe(
    'http://collector:4318/v1/traces',
  );
});

const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

it.each([
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [receiver, true],
  [{ ...receiver, OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ ...receiver, OTEL_SDK_DISABLED: 'true' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
])('tracing does what the variables of OpenTelemetry say: %j', (env, wanted) => {
  expect(read('', env) !== undefined).toBe(wanted);
  if (wanted) expect(read('', env)).toMatchObject({ inFile: false, endpoint: undefined, ratio: 1, parentBased: true });
});

const all = { traces: true, metrics: 60_000, logs: true };

it.each([
  [receiver, all],
  [
    { ...receiver, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'console' },
    { metrics: undefined, logs: false },
  ],
  [
    { ...receiver, OTEL_TRACES_EXPORTER: 'none' },
    { ...all, traces: false },
  ],
  [
    { ...receiver, OTEL_METRIC_EXPORT_INTERVAL: '5000' },
    { ...all, metrics: 5_000 },
  ],
  [{ ...receiver, OTEL_METRIC_EXPORT_INTERVAL: 'often' }, all],
  [{ ...receiver, OTEL_METRIC_EXPORT_INTERVAL: '0' }, all],
  [
    { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs' },
    { traces: false, metrics: undefined, logs: true },
  ],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://c/v1/metrics' }, { traces: false, metrics: 60_000, logs: false }],
])('tracing sends the signals that the variables name: %j', (env, wanted) => {
  expect(read('', env)).toMatchObject(wanted);
  // The section decides alone.
  expect(read(inFile, env)).toMatchObject({ traces: true, metrics: undefined, logs: false });
});

it('tracing sends metrics and log lines where the section says so, without traces if it says that', () => {
  const text = (more: string) => `tracing: { endpoint: "http://collector:4318", ${more} }`;
  expect(read(text('metrics: 30s, logs: true'))).toMatchObject({ traces: true, metrics: 30_000, logs: true });
  expect(read(text('traces: false, metrics: 30s'))).toMatchObject({ traces: false, metrics: 30_000, logs: false });
  expect(read(text('traces: false'))).toBeUndefined();
});

it.each([
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, { ratio: 0, parentBased: false }],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
    { ratio: 0.1, parentBased: true },
  ],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'much' },
    { ratio: 1, parentBased: false },
  ],
  [{ OTEL_TRACES_SAMPLER: 'xray' }, { ratio: 1, parentBased: true }],
])('samples as the variables say: %j', (env, sampler) => {
  expect(read('', { ...receiver, ...env })).toMatchObject(sampler);
  expect(read(inFile, env)).toMatchObject(sampler);
});
