import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { traceIdOf } from '../../../src/core/telemetry/trace-context.ts';
import { type OtlpReceiver, startOtlp } from '../../support/otlp.ts';
import { openWays, type WayIn, type WayOut, type Ways } from './ways.ts';

const tracestate = 'vendor=value,other@system=1';

interface Crossing {
  readonly way: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly failed?: unknown;
}

/**
 * Every way in, to the first way out, and every way out, from two ways in: each in a trace of its own. Between them is one
 * call, in whose context the trace is.
 */
async function crossAll({ into, knowledge, out }: Ways): Promise<Crossing[]> {
  const crossings: Crossing[] = [];
  const cross = async (from: WayIn, to: WayOut): Promise<void> => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const way = `${from.name} → ${to.name}`;
    try {
      const taskId = await to.task?.();
      const trace = { traceparent: `00-${traceId}-${spanId}-01`, tracestate };
      await from.send({ agent: to.agent, part: to.part, trace, ...(taskId !== undefined && { taskId }) });
      crossings.push({ way, traceId, spanId });
    } catch (failed) {
      crossings.push({ way, traceId, spanId, failed });
    }
  };
  for (const [at, to] of out.entries()) {
    const ways = to.knowledge ? knowledge : into;
    const some = ways.filter((_, nth) => at === 0 || to.knowledge || (nth - at) % Math.ceil(ways.length / 2) === 0);
    await Promise.all(some.map((from) => cross(from, to)));
  }
  return crossings;
}

describe.each([false, true])('a trace, while the gateway makes traces itself: %s', (tracing) => {
  let otlp: OtlpReceiver;
  let ways: Ways;
  let crossings: Crossing[];
  beforeAll(async () => {
    otlp = await startOtlp();
    ways = await openWays(tracing ? `tracing: { endpoint: "${otlp.url}" }` : '');
    crossings = await crossAll(ways);
    await ways.close();
  });

  it(`a trace, while the gateway makes traces itself: ${tracing} is carried by every call`, () => {
    expect(crossings.flatMap(({ way, failed }) => (failed === undefined ? [] : [`${way}: ${failed}`]))).toEqual([]);
    for (const { name } of [...ways.into, ...ways.out]) {
      expect(crossings.filter(({ way }) => way.split(' → ').includes(name)).length, name).toBeGreaterThan(0);
    }
  });

  it(`a trace, while the gateway makes traces itself: ${tracing} comes out wherever the call leads, from wherever it came in, with what its systems added`, () => {
    const lost = crossings.filter(({ traceId }) => !ways.arrived.some((one) => one.traceparent?.includes(traceId)));
    expect(lost.map(({ way }) => way)).toEqual([]);
    const ids = new Set(crossings.map(({ traceId }) => traceId));
    const ours = ways.arrived.filter(({ traceparent = '' }) => ids.has(traceIdOf(traceparent)));
    expect(ours.filter((one) => one.tracestate !== tracestate)).toEqual([]);
    const places = new Set(ways.arrived.map(({ at }) => at));
    const all = ['agent', 'knowledge', 'mcp headers', 'mcp _meta', 'method-per-tool', 'webhook', 'sparql'];
    expect([...places].toSorted()).toEqual(all.toSorted());
  });

  it(tracing ? 'names a span of the gateway’s as its parent' : 'is passed on as it came', () => {
    const spans = new Map(otlp.spans.map((span) => [span.spanId, span]));
    for (const { traceId, spanId, way } of crossings) {
      for (const { traceparent = '' } of ways.arrived.filter((one) => one.traceparent?.includes(traceId))) {
        const parent = traceparent.slice(36, 52);
        if (!tracing) expect(`${way} ${traceparent}`).toBe(`${way} 00-${traceId}-${spanId}-01`);
        else expect(spans.get(parent), way).toMatchObject({ traceId });
      }
      if (!tracing) continue;
      const servers = otlp.spans.filter((span) => span.traceId === traceId && span.kind === 2);
      expect(new Set(servers.map(({ parentId }) => parentId)), way).toEqual(new Set([spanId]));
      expect(servers.every(({ traceState }) => traceState === tracestate)).toBe(true);
    }
  });
});
