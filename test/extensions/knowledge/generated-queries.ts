import fc from 'fast-check';

const leaf: Record<string, readonly string[]> = {
  Entity: ['id', 'types', '__typename'],
  Statement: ['graph', 'certainty', 'provenance', 'timestamp'],
  List: ['totalCount', 'totalCountIsExact', 'pageInfo { endCursor hasNextPage }', '__typename'],
};

const first = fc.oneof(
  fc.constantFrom('', '(first: null)', '(first: $first)', '(first: $null)'),
  fc.integer({ min: -2, max: 1_002 }).map((n) => `(first: ${n})`),
  fc.integer({ min: 1, max: 60 }).map((n) => `(first: ${n})`),
);

/** Selections of each type, up to a depth. */
const { entity } = fc.letrec<{ entity: string; list: string; statement: string }>((tie) => {
  const some = (type: string, below: fc.Arbitrary<string>) =>
    fc
      .tuple(
        fc.subarray([...(leaf[type] ?? [])], { minLength: 1 }),
        fc.array(below, { maxLength: 3 }),
        fc.constantFrom('', '... { __typename }', '...shared'),
      )
      .map(([leaves, more, fragment]) => {
        const spread = fragment === '...shared' && type !== 'Entity' ? '' : fragment;
        return [...leaves, ...more.map((text, n) => `a${n}_${more.length}: ${text}`), spread].join(' ');
      });
  const depth = { maxDepth: 4, depthIdentifier: 'walk' };
  return {
    entity: fc.oneof(
      depth,
      some('Entity', fc.constant('__typename')),
      some(
        'Entity',
        fc
          .tuple(fc.constantFrom('out', 'in'), first, tie('list'))
          .map(([name, args, list]) => `${name}${args} { ${list} }`),
      ),
    ),
    list: some(
      'List',
      tie('statement').map((statement) => `nodes { ${statement} }`),
    ),
    statement: some(
      'Statement',
      fc
        .tuple(fc.constantFrom('subject', 'object'), tie('entity'))
        .map(([name, selection]) => `${name} { id entity { ${selection} } }`),
    ),
  };
});

/** Queries of every form: aliases, fragments, variables, lists in lists, and pages of all sizes. */
export const query: fc.Arbitrary<string> = fc.tuple(entity, first).map(
  ([selection, args]) => `query ($first: Int = 7, $null: Int) { entities${args} { nodes { ${selection} ...shared } }
  statements${args} { totalCount } ${selection.includes('$null') ? '' : 'unused: entities(first: $null) { __typename }'}
  ${selection.includes('$first') ? '' : 'also: entities(first: $first) { __typename }'} }
  fragment shared on Entity { shared: out(first: 3) { nodes { object { id } } } }`,
);
