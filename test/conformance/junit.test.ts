import { expect, it } from 'vitest';
import { readJUnit } from './junit.ts';

const named = (attribute: (name: string) => string): string => `${attribute('classname')}::${attribute('name')}`;

it('a report of JUnit is read with the words of failures, and expected failures count as failures', () => {
  const xml = `<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="5">
<testcase classname="a.B" name="passes" time="0.1" />
<testcase classname="a.B" name="fails[&quot;x&quot;]"><failure message="is &lt;1&gt;&#10;or so">trace</failure></testcase>
<testcase classname="a.B" name="breaks"><error><![CDATA[no <b>]]></error></testcase>
<testcase classname="a.B" name="skips"><skipped type="pytest.skip" message="not here">x</skipped></testcase>
<testcase classname="a.B" name="should"><skipped type="pytest.xfail" message="a SHOULD"/></testcase>
</testsuite></testsuites>`;
  expect([...readJUnit(xml, named)]).toEqual([
    ['a.B::passes', { outcome: 'passed', message: '' }],
    ['a.B::fails["x"]', { outcome: 'failed', message: 'is <1>\nor so' }],
    ['a.B::breaks', { outcome: 'failed', message: 'no <b>' }],
    ['a.B::skips', { outcome: 'skipped', message: 'not here' }],
    ['a.B::should', { outcome: 'failed', message: 'a SHOULD' }],
  ]);
});

it('a case that passes and whose clean-up fails is a failure', () => {
  const xml = '<testcase classname="a" name="b"><error message="late"/></testcase><testcase classname="a" name="b"/>';
  expect(readJUnit(xml, named).get('a::b')).toEqual({ outcome: 'failed', message: 'late' });
});

it('a case that several checks fail has the words of each', () => {
  const xml =
    '<testcase name="GET /"><failure message="ST201 is served"/><failure>ST202 is refused</failure></testcase>';
  const result = readJUnit(xml, (attribute) => attribute('name')).get('GET /');
  expect(result).toEqual({ outcome: 'failed', message: 'ST201 is served\nST202 is refused' });
});
