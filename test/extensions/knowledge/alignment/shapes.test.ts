import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAlignment } from '../../../../src/extensions/knowledge/alignment/alignment.ts';
import type { Alignment } from '../../../../src/extensions/knowledge/ports.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { turnWork, workOfLongestTurn } from '../../../../src/extensions/knowledge/turns.ts';
import type { AlignmentConfig } from '../../../../src/gen/settings.ts';
import { newFolder } from '../../../support/folders.ts';
import { add, ex, given, known, memory, propose, remove, replace, say } from './fixtures.ts';

async function shaped(shapes: string, settings: AlignmentConfig = {}): Promise<[Alignment, KnowledgeStore]> {
  const path = join(newFolder(), 'shapes.ttl');
  const prefixes = `
    @prefix : <https://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n`;
  await writeFile(path, prefixes + shapes);
  return [await createAlignment({ ...settings, shapes: path }), await memory()];
}

const people = `
  :PersonShape a sh:NodeShape ; sh:targetClass :Person ;
    sh:property [ sh:path :name ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string ] ,
                [ sh:path :age ; sh:datatype xsd:integer ; sh:minInclusive 0 ] ,
                [ sh:path :knows ; sh:class :Person ] .`;

test('shapes let in what fits, as a whole, and nothing else', async () => {
  const [alignment, store] = await shaped(people);
  const ann = [say('ann', 'a', ':Person'), say('ann', 'name', 'Ann'), say('ann', 'age', 30)];
  const alone = await propose(alignment, store, ann.slice(0, 1).map(add));
  expect(alone).toMatchObject({ status: 'rejected', verificationStatus: 'Rejected - Constraint Violation' });
  expect(alone.verificationDetails).toBe(`shapes: ${ex('ann')} ${ex('name')}: Less than 1 values`);
  expect(await propose(alignment, store, ann.map(add))).toMatchObject({ status: 'verified', applied: { added: 3 } });
  const refusals = [
    [add(say('ann', 'name', 'Anna'))],
    [replace(say('ann', 'age', -1))],
    [add(say('ann', 'age', 'old'))],
    [remove(say('ann', 'name', 'Ann'))],
    [add(say('ann', 'knows', ':bob'))],
  ];
  for (const patches of refusals)
    expect(await propose(alignment, store, patches)).toMatchObject({ status: 'rejected' });
  expect(await known(store)).toBe(3);
  const fine = [
    [replace(say('ann', 'name', 'Anna'))],
    [remove(say('ann', 'name', 'Anna')), add(say('ann', 'name', 'Ann'))],
    [add(say('bob', 'name', 7))],
    [add(say('bob', 'name', 'Bob')), remove(say('bob', 'name', 7)), add(say('bob', 'a', ':Person'))],
    [add(say('ann', 'knows', ':bob'))],
    [remove(say('ann', 'name', 'Ann')), remove(say('ann', 'a', ':Person'))],
  ];
  for (const patches of fine) {
    const done = await propose(alignment, store, patches);
    expect([done.status, done.verificationDetails]).toEqual(['verified', 'verified by: shapes']);
  }
});

test('shapes are held against those who look at what changes, however far away', async () => {
  const [alignment, store] = await shaped(`${people}
      :TeamShape a sh:NodeShape ; sh:targetClass :Team ;
        sh:property [ sh:path ( :member :address ) ; sh:node :AddressShape ] .
      :AddressShape a sh:NodeShape ; sh:property [ sh:path :zip ; sh:minCount 1 ; sh:pattern "^[0-9]+$" ] .`);
  const bob = [say('bob', 'a', ':Person'), say('bob', 'name', 'Bob')];
  await given(store, say('ann', 'a', ':Person'), say('ann', 'name', 'Ann'), say('ann', 'knows', ':bob'), ...bob);
  // Bob himself may be anything, but Ann knows persons only.
  const [person, name] = bob.map(remove);
  expect(
    await propose(
      alignment,
      store,
      [person ?? name].flatMap((one) => one ?? []),
    ),
  ).toMatchObject({
    verificationDetails: expect.stringContaining(`${ex('ann')} ${ex('knows')}`),
  });
  await given(store, say('team', 'a', ':Team'), say('team', 'member', ':ann'), say('ann', 'address', ':home'));
  await given(store, say('home', 'zip', '123'));
  expect(await propose(alignment, store, [replace(say('home', 'zip', 'abc'))])).toMatchObject({
    status: 'rejected',
    verificationDetails: expect.stringContaining(ex('team')),
  });
  expect(await propose(alignment, store, [replace(say('home', 'zip', '456'))])).toMatchObject({ status: 'verified' });
  // An address that belongs to no team member is not checked.
  expect(await propose(alignment, store, [add(say('hut', 'zip', 'abc'))])).toMatchObject({ status: 'verified' });
  expect(await propose(alignment, store, [add(say('ann', 'address', ':hut'))])).toMatchObject({ status: 'rejected' });
});

test('shapes know all targets, inverse paths and paths without end', async () => {
  const [alignment, store] = await shaped(`
      :A a sh:NodeShape ; sh:targetNode :one ; sh:property [ sh:path :p ; sh:maxCount 1 ] .
      :B a sh:NodeShape ; sh:targetSubjectsOf :q ; sh:property [ sh:path :label ; sh:minCount 1 ] .
      :C a sh:NodeShape ; sh:targetObjectsOf :r ; sh:nodeKind sh:IRI ; sh:property [ sh:path [ sh:inversePath :r ] ; sh:maxCount 2 ] .
      :D a sh:NodeShape , rdfs:Class ; sh:property [ sh:path [ sh:oneOrMorePath :part ] ; sh:class :Part ] .`);
  const put = async (...patches: Parameters<typeof propose>[2]) => (await propose(alignment, store, patches)).status;
  expect(await put(add(say('one', 'p', 1)), add(say('two', 'p', 1)))).toBe('verified');
  expect(await put(add(say('two', 'p', 2)))).toBe('verified');
  expect(await put(add(say('one', 'p', 2)))).toBe('rejected');
  expect(await put(add(say('x', 'q', 1)))).toBe('rejected');
  expect(await put(add(say('x', 'q', 1)), add(say('x', 'label', 'x')))).toBe('verified');
  expect(await put(remove(say('x', 'label', 'x')))).toBe('rejected');
  expect(await put(add(say('a', 'r', 'text')))).toBe('rejected');
  expect(await put(add(say('a', 'r', ':z')), add(say('b', 'r', ':z')))).toBe('verified');
  expect(await put(add(say('c', 'r', ':z')))).toBe('rejected');
  expect(await put(remove(say('a', 'r', ':z')), add(say('c', 'r', ':z')))).toBe('verified');
  const chain = ['d', 'e', 'f', 'g'].flatMap((id, i, all) => [
    say(id, 'a', i === 0 ? ':D' : ':Part'),
    ...(all[i + 1] ? [say(id, 'part', `:${all[i + 1]}`)] : []),
  ]);
  expect(await put(...chain.map(add))).toBe('verified');
  expect(await put(remove(say('g', 'a', ':Part')))).toBe('rejected');
  expect(await put(add(say('g', 'part', ':h')))).toBe('rejected');
  expect(await put(add(say('g', 'part', ':d')))).toBe('rejected');
});

test('shapes know types however they are said, and what is below a class', async () => {
  const [alignment, store] = await shaped(`${people} :Boss rdfs:subClassOf :Person .`);
  const above = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
  const below = (one: string, other: string) => say(one, '', `:${other}`, { predicate: { id: above } });
  await given(store, below('Chef', 'Cook'), below('Cook', 'Person'));
  // A cyclic class hierarchy does no harm.
  await given(store, below('Person', 'Chef'), below('Boss', 'Boss'));
  for (const type of ['Person', 'Boss', 'Chef']) {
    const nameless = add(say('x', 'likes', ':y', { subject: { id: ex('x'), type: ex(type) } }));
    expect(await propose(alignment, store, [nameless])).toMatchObject({ status: 'rejected' });
    const object = add(say('y', 'likes', '', { object: { id: ex('x'), type: ex(type) } }));
    expect(await propose(alignment, store, [object])).toMatchObject({ status: 'rejected' });
    expect(await propose(alignment, store, [nameless, add(say('x', 'name', 'X'))])).toMatchObject({
      status: 'verified',
    });
    // Not a person any more, with the last statement that said so.
    const left = [remove(say('x', 'name', 'X')), remove(say('x', 'likes', ':y'))];
    expect(await propose(alignment, store, left.slice(0, 1))).toMatchObject({ status: 'rejected' });
    expect(await propose(alignment, store, left)).toMatchObject({ status: 'verified' });
  }
});

test('shapes see that a statement which is added again without a type no longer states it', async () => {
  const [alignment, store] = await shaped(people);
  const typed = say('bob', 'likes', ':tea', { subject: { id: ex('bob'), type: ex('Person') } });
  const untyped = add(say('bob', 'likes', ':tea'));
  await given(store, typed, say('bob', 'name', 'Bob'), say('ann', 'a', ':Person'), say('ann', 'name', 'Ann'));
  // No shape forbids it, as long as none requires `knows`.
  const nameless = [untyped, remove(say('bob', 'name', 'Bob'))];
  expect(await propose(alignment, store, nameless)).toMatchObject({ status: 'verified' });
  await given(store, typed, say('bob', 'name', 'Bob'), say('ann', 'knows', ':bob'));
  expect(await propose(alignment, store, [untyped])).toMatchObject({
    status: 'rejected',
    verificationDetails: expect.stringContaining(`${ex('ann')} ${ex('knows')}`),
  });
  expect(await propose(alignment, store, [add(typed)])).toMatchObject({ status: 'verified' });
});

test('shapes are held against the instances of a class that gets another place', async () => {
  const [alignment, store] = await shaped(`${people}
      :TeamShape a sh:NodeShape ; sh:targetClass :Team ; sh:property [ sh:path :member ; sh:class :Cook ] .`);
  const below = (one: string, other: string) =>
    say(one, '', `:${other}`, { predicate: { id: 'http://www.w3.org/2000/01/rdf-schema#subClassOf' } });
  await given(store, say('ann', 'a', ':Chef'), below('Chef', 'Cook'));
  await given(store, say('team', 'a', ':Team'), say('team', 'member', ':ann'));
  // A cook without a name would be a person without a name.
  const cooksArePersons = add(below('Cook', 'Person'));
  const refused = await propose(alignment, store, [cooksArePersons]);
  expect(refused.verificationDetails).toBe(`shapes: ${ex('ann')} ${ex('name')}: Less than 1 values`);
  expect(await propose(alignment, store, [cooksArePersons, add(say('ann', 'name', 'Ann'))])).toMatchObject({
    status: 'verified',
  });
  // A team of cooks, with a chef who is none any more.
  expect(await propose(alignment, store, [remove(below('Chef', 'Cook'))])).toMatchObject({
    status: 'rejected',
    verificationDetails: expect.stringContaining(`${ex('team')} ${ex('member')}`),
  });
  // No shape targets the class Thing.
  expect(await propose(alignment, store, [add(below('Chef', 'Thing'))])).toMatchObject({ status: 'verified' });
});

test('shapes follow types given in other statements, and texts that are shared', async () => {
  const [alignment, store] = await shaped(`${people}
      :Label a sh:NodeShape ; sh:targetObjectsOf :email ; sh:property [ sh:path [ sh:inversePath :email ] ; sh:maxCount 1 ] .
      :Owner a sh:NodeShape ; sh:targetSubjectsOf :owns ; sh:property [ sh:path ( :key [ sh:inversePath :key ] ) ; sh:maxCount 1 ] .`);
  const calledPerson = say('carl', 'likes', '', { object: { id: ex('bob'), type: ex('Person') } });
  await given(store, say('ann', 'a', ':Person'), say('ann', 'name', 'Ann'), say('bob', 'name', 'Bob'), calledPerson);
  expect(await propose(alignment, store, [add(say('ann', 'knows', ':bob'))])).toMatchObject({ status: 'verified' });
  expect(await propose(alignment, store, [remove(calledPerson)])).toMatchObject({
    status: 'rejected',
    verificationDetails: expect.stringContaining(`${ex('ann')} ${ex('knows')}`),
  });
  const email = (id: string) => add(say(id, 'email', 'a@example.org'));
  expect(await propose(alignment, store, [email('ann')])).toMatchObject({ status: 'verified' });
  expect(await propose(alignment, store, [email('bob')])).toMatchObject({ status: 'rejected' });
  await given(store, say('bob', 'email', 'a@example.org'));
  expect(await propose(alignment, store, [remove(say('bob', 'email', 'a@example.org'))])).toMatchObject({
    status: 'verified',
  });
  await given(store, say('ann', 'owns', ':car'), say('ann', 'key', 'k1'));
  expect(await propose(alignment, store, [add(say('bob', 'key', 'k1'))])).toMatchObject({ status: 'rejected' });
  expect(await propose(alignment, store, [add(say('bob', 'key', 'k2'))])).toMatchObject({ status: 'verified' });
});

test('shapes see what all graphs say together', async () => {
  const [alignment, store] = await shaped(people);
  await given(store, say('ann', 'a', ':Person', { graph: ex('g') }), say('ann', 'name', 'Ann', { graph: ex('h') }));
  expect(await propose(alignment, store, [add(say('ann', 'name', 'Ann'))])).toMatchObject({ status: 'verified' });
  expect(await propose(alignment, store, [add(say('ann', 'name', 'Ann 2'))])).toMatchObject({ status: 'rejected' });
});

test('shapes that warn let an update in for review; those that inform say nothing', async () => {
  const [alignment, store] = await shaped(`
      :W a sh:NodeShape ; sh:targetNode :one ;
        sh:property [ sh:path :p ; sh:maxCount 1 ; sh:severity sh:Warning ; sh:message "one is enough" ] ,
                    [ sh:path :q ; sh:maxCount 1 ; sh:severity sh:Info ] .`);
  const twice = (p: string) => propose(alignment, store, [add(say('one', p, 1)), add(say('one', p, 2))]);
  expect(await twice('q')).toMatchObject({ status: 'verified' });
  expect(await twice('p')).toMatchObject({
    status: 'pending',
    verificationStatus: 'Pending Review',
    verificationDetails: `shapes: ${ex('one')} ${ex('p')}: one is enough`,
  });
});

test('shapes do not disclose data that is hidden from the caller', async () => {
  const [alignment, store] = await shaped(
    `:S a sh:NodeShape ; sh:targetClass :Person ; sh:property [ sh:path :ssn ; sh:maxCount 0 ] , [ sh:path :age ; sh:maxCount 1 ] .`,
    { protected: { predicates: { [ex('ssn')]: { read: [] } } } },
  );
  await given(store, say('ann', 'ssn', 12345), say('ann', 'age', 77));
  const done = await propose(alignment, store, [add(say('ann', 'a', ':Person')), add(say('ann', 'age', 78))]);
  expect(done.verificationDetails).toContain('a constraint on data that is hidden from the caller');
  expect(done.verificationDetails).toContain(ex('age'));
  expect(done.verificationDetails).not.toMatch(/ssn|12345|77/);
});

test('shapes do not look at the whole graph, and refuse what would make them', async () => {
  const [alignment, store] = await shaped(
    `:S a sh:NodeShape ; sh:targetClass :Group ; sh:property [ sh:path [ sh:inversePath :in ] ; sh:maxCount 30000 ] .`,
  );
  const many = Array.from({ length: 20_010 }, (_, i) => say(`m${i}`, 'in', ':crowd'));
  await given(store, ...many, say('crowd', 'a', ':Group'));
  expect(await propose(alignment, store, [add(say('new', 'in', ':crowd'))])).toMatchObject({
    status: 'rejected',
    verificationDetails: expect.stringContaining('more than 20000 statements'),
  });
  expect(await propose(alignment, store, [add(say('m1', 'in', ':club'))])).toMatchObject({ status: 'verified' });
});

test.each([
  ['this is no Turtle', /Turtle|Expected|Unexpected/],
  [':S sh:sparql [ sh:select "x" ] .', /sh:\w+ is not a part of SHACL core/],
  [':S sh:minCout 1 .', /sh:minCout/],
  ['<> owl:imports <https://example.org/more> .', /owl:imports/],
  [':S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; sh:node :S ] .', /recursive/],
  [
    ':S a sh:NodeShape ; sh:targetNode :t ; sh:property [ sh:path [ sh:inversePath ( :p :q ) ] ; sh:minCount 1 ] .',
    /inverse/,
  ],
])('shapes that cannot be used are refused at once: %s', async (text, why) => {
  const refused = await shaped(text).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ kind: 'internal', message: expect.stringMatching(why) });
  expect((refused as Error).message).toMatch(/shapes\.ttl cannot be used/);
});

describe('shapes of which callers choose the values', () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, n) => [say(`p${n}`, 'a', ':Person'), say(`p${n}`, 'boss', `:p${n + 1}`)]).flat();
  const endless = `:Shape a sh:NodeShape ; sh:targetClass :Person ;
    sh:property [ sh:path ( :boss [ sh:zeroOrMorePath :boss ] ) ; sh:minCount 1 ; sh:nodeKind sh:IRI ] .`;

  test('a chain of 100 is followed to its end', async () => {
    const [alignment, store] = await shaped(endless);
    await given(store, ...chain(100));
    const update = (object: string) => propose(alignment, store, [add(say('p100', 'boss', object as ':x'))]);
    expect(await update(':last')).toMatchObject({ status: 'verified' });
    expect(await update('nobody')).toMatchObject({
      status: 'rejected',
      verificationDetails: expect.stringMatching(/hape/),
    });
  });

  test.each([1_500])(
    'a chain of %d exceeds the steps of an update, and other calls wait for none of it',
    async (length) => {
      const [alignment, store] = await shaped(endless);
      await given(store, ...chain(length));
      workOfLongestTurn();
      const judged = await propose(alignment, store, [add(say(`p${length}`, 'boss', ':last'))]);
      expect(judged).toMatchObject({
        status: 'rejected',
        verificationDetails: expect.stringMatching(/more than \d+ steps/),
      });
      expect(workOfLongestTurn()).toBeLessThan(2 * turnWork);
    },
  );

  test('a value with which a pattern backtracks without end rejects the update, and the next one is validated', async () => {
    const [alignment, store] = await shaped(`:Shape a sh:NodeShape ; sh:targetSubjectsOf :code ;
      sh:property [ sh:path :code ; sh:pattern "^/?(a+)+$" ] .`);
    const put = (value: string) => propose(alignment, store, [add(say('x', 'code', value))]);
    expect(await put(`${'a'.repeat(5_000)}!`)).toMatchObject({
      status: 'rejected',
      verificationDetails: 'shapes: a value is too long for the pattern "^/?(a+)+$"',
    });
    expect(await put('b')).toMatchObject({
      status: 'rejected',
      verificationDetails: expect.stringContaining('Value does not match pattern'),
    });
    expect(await put('aaaa')).toMatchObject({ status: 'verified' });
  });

  test.each([
    [
      'sh:property [ sh:path :code ; sh:pattern "(" ]',
      `for ${ex('code')} in the shape ${ex('Shape')} cannot be used: it is not a valid regular expression`,
    ],
    ['sh:property :Inner . :Inner sh:path :code ; sh:pattern "("', `for ${ex('code')} in the shape ${ex('Inner')}`],
    ['sh:not [ sh:pattern "a" ; sh:flags "g g" ]', `in the shape ${ex('Shape')} cannot be used: it is not a valid`],
    [
      'sh:pattern "a" ; sh:flags "i", "s"',
      `in the shape ${ex('Shape')} cannot be used: it has several values of sh:flags`,
    ],
  ])('an invalid pattern is refused with its place: %s', async (text, place) => {
    const unusable = shaped(`:Shape a sh:NodeShape ; sh:targetSubjectsOf :code ; ${text} .`);
    await expect(unusable).rejects.toThrow(place);
    await expect(unusable).rejects.toThrow(/the pattern ".+" (for|in)/);
  });
});
