import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTrace, spanIdOf, traceIdOf, traceOf } from '../../../src/core/telemetry/trace-context.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';
const valid = `00-${trace}-${span}-01`;

it.each([valid, `00-${trace}-${span}-00`, `00-${trace}-${span}-ff`])('the traceparent %s is taken as it is', (text) => {
  expect(readTrace(text)).toEqual({ traceparent: text });
  expect([traceIdOf(text), spanIdOf(text)]).toEqual([trace, span]);
});

it.each([
  undefined,
  7,
  '',
  'nonsense',
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${trace}-${span}-1`,
  `00-${trace}-${span}-01-more`,
  `00-${trace}-${span}-01 `,
  `0-${trace}-${span}-01`,
  `cc-${trace}-${span}-01.more`,
  `${valid}, ${valid}`,
])('the traceparent %s counts as absent, with its tracestate', (text) => {
  expect(readTrace(text, 'a=b')).toEqual({});
});

it.each([
  [`cc-${trace}-${span}-01`, '01'],
  [`cc-${trace}-${span}-01-what-comes-later`, '01'],
  [`01-${trace}-${span}-fe`, '02'],
])('the traceparent %s, of a version to come, becomes version 00', (text, flags) => {
  expect(readTrace(text)).toEqual({ traceparent: `00-${trace}-${span}-${flags}` });
});

it.each([
  ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
  ['tenant@system=1 , , a=b', 'tenant@system=1,a=b'],
  [
    Array.from({ length: 32 }, (_, at) => `k${at}=v`).join(','),
    Array.from({ length: 32 }, (_, at) => `k${at}=v`).join(','),
  ],
])('the tracestate %s is passed on', (text, expected) => {
  expect(readTrace(valid, text)).toEqual({ traceparent: valid, tracestate: expected });
});

it.each([
  '',
  ' , ',
  'noequals',
  'UPPER=1',
  'a=1,a=2',
  'a=',
  'a=b=c',
  'a=\u00e9',
  `a=${'x'.repeat(257)}`,
  Array.from({ length: 33 }, (_, at) => `k${at}=v`).join(','),
  Array.from({ length: 30 }, (_, at) => `k${at}=${'v'.repeat(100)}`).join(','),
])('the tracestate %s is left out, and leaves the trace alone', (text) => {
  expect(readTrace(valid, text)).toEqual({ traceparent: valid });
});

it('the trace context of a request takes whatever comes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (parent, state) => {
      const { traceparent, tracestate } = readTrace(parent, state);
      expect(traceparent === undefined || traceparent.length === 55).toBe(true);
      expect(readTrace(valid, state).traceparent).toBe(valid);
      if (tracestate !== undefined) expect(readTrace(valid, tracestate).tracestate).toBe(tracestate);
    }),
  );
});

it('the trace context of a request leaves out what is not there', () => {
  expect(traceOf({})).toEqual({});
  expect(traceOf({ traceparent: valid, tracestate: 'a=b' })).toEqual({ traceparent: valid, tracestate: 'a=b' });
});
