import type { Hidden } from '../../core/model/knowledge.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AlignmentRule } from './rule.ts';
import type { AccessSettings, ProtectionSettings } from './settings.ts';
import { isAmong, matchesName } from './visibility.ts';

type Protected = Readonly<Record<string, AccessSettings>>;

const mayRead = ({ id }: Principal, { read }: AccessSettings): boolean => read === undefined || isAmong(id, read);

const mayWrite = (principal: Principal, access: AccessSettings): boolean =>
  mayRead(principal, access) && isAmong(principal.id, access.write);

const hiddenNames = (names: Protected | undefined, principal: Principal): string[] =>
  Object.entries(names ?? {})
    .filter(([, access]) => !mayRead(principal, access))
    .map(([name]) => name);

/** The graphs and predicates that are hidden from a principal; undefined if none are. */
export function hiddenFrom(settings: ProtectionSettings | undefined, principal: Principal): Hidden | undefined {
  const graphs = hiddenNames(settings?.graphs, principal);
  const predicates = hiddenNames(settings?.predicates, principal);
  if (graphs.length === 0 && predicates.length === 0) return undefined;
  return { ...(graphs.length > 0 && { graphs }), ...(predicates.length > 0 && { predicates }) };
}

/**
 * Forbids changes of protected graphs and predicates by callers without the right to write. If several names match, all
 * of them must allow it.
 */
export function protection(settings: ProtectionSettings): AlignmentRule {
  const refusing = (names: Protected | undefined, id: string, principal: Principal): boolean =>
    Object.entries(names ?? {}).some(([name, access]) => matchesName(id, name) && !mayWrite(principal, access));

  return {
    name: 'protected',
    readsOutcome: false,
    verify({ patches, principal }) {
      for (const [index, { statement }] of patches.entries()) {
        const { predicate, graph = '' } = statement;
        const said = (what: string) =>
          ({ status: 'forbidden', details: `mutations[${index}]: ${what} may not be changed by this caller` }) as const;
        if (refusing(settings.predicates, predicate.id, principal)) return said(`the predicate ${predicate.id}`);
        if (!refusing(settings.graphs, graph, principal)) continue;
        return said(graph === '' ? 'the default graph' : `the graph ${graph}`);
      }
      return undefined;
    },
  };
}
