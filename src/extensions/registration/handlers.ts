import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, own } from '../../core/model/json.ts';
import { hasScope, type Principal } from '../../core/model/principal.ts';
import { shortened } from '../../core/model/text.ts';
import type { CardRevision, Difference, RegisteredAgent, RevisionState } from '../../gen/admin-v1/types.ts';
import type { AddedHandlers, AdminHandlers } from '../handlers.ts';
import { fault, pageSizeOf, textsOf } from '../requests.ts';
import type { Registry } from './registry.ts';
import { approvedIn } from './revisions.ts';
import type { RegistrationRow, Revision, RowState } from './store.ts';

const page = { fallback: 50, max: 500 } as const;
/** Seconds. */
const lease = { least: 10, most: 86_400 } as const;
/** Of a call: who makes it. */
interface Caller {
  readonly principal: Principal;
}

/** Characters of what an owner says. */
const longest = { title: 200, description: 4_000, skill: 200 } as const;
const mostSkills = 200;

const states: Readonly<Record<Revision['state'], RevisionState>> = {
  waiting: 'REVISION_STATE_WAITING',
  approved: 'REVISION_STATE_APPROVED',
  former: 'REVISION_STATE_FORMER',
  refused: 'REVISION_STATE_REFUSED',
};

type Operations =
  | 'RegisterAgent'
  | 'RegisterCatalog'
  | 'ListRegistrations'
  | 'RenewAgent'
  | 'ApproveAgent'
  | 'RemoveAgent';

/**
 * The operations about agents that are registered at run time.
 *
 * @param open undefined where the configuration does not allow registration
 * @param limits bytes that the entries of one answer may have: read each time
 */
export const registrationHandlers = (open: Registry | undefined, limits: { readonly page: number }): AddedHandlers => ({
  handlers: handlersOf(open, limits),
  // Leases are renewed all the time.
  routine: ['RenewAgent'],
});

function handlersOf(open: Registry | undefined, limits: { readonly page: number }): AdminHandlers<Operations> {
  const registry = (): Registry => {
    if (open) return open;
    throw new A2AError('unsupportedOperation', 'Registration of agents is off: set registration.allow');
  };
  /** Requires the owner, or a principal with a scope for all agents. */
  const requireOwn = ({ name, owner }: RowState, principal: Principal, scope: string): void => {
    if (owner === principal.id || hasScope(principal, scope)) return;
    throw new A2AError('agentNotFound', `No such registration: ${name}`);
  };
  const shown = (row: RegistrationRow, { principal }: Caller): { readonly value: RegisteredAgent } => ({
    value: registered(row, registry(), hasScope(principal, 'admin:read')),
  });

  return {
    async RegisterAgent(request, caller) {
      const { name, url, dialect = '', transport = '', leaseSeconds = 0, title = '', description = '' } = request;
      const { skills = [] } = request;
      requireLease(leaseSeconds);
      requireShort('title', title, longest.title);
      requireShort('description', description, longest.description);
      if (skills.length > mostSkills) throw fault('skills', `must be at most ${mostSkills}`);
      for (const [i, skill] of skills.entries()) requireShort(`skills[${i}]`, skill, longest.skill);
      const offer = { url, dialect, transport, title, description, skills: [...skills] };
      const { id: owner } = caller.principal;
      return shown(await registry().register({ name, owner, offer, lease: leaseSeconds }), caller);
    },

    async RegisterCatalog({ catalog, leaseSeconds = 0 }, { principal, signal }) {
      requireLease(leaseSeconds);
      const url = URL.parse(catalog);
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
        throw fault('catalog', 'must be a URL of http or https');
      const { id: owner } = principal;
      return { value: await registry().registerCatalog(url, { owner, lease: leaseSeconds, signal }) };
    },

    async ListRegistrations({ agent, pageSize, pageToken = '', removed = false }, { principal }) {
      const size = pageSizeOf(pageSize, page);
      if (!open) return { value: { registrations: [], nextPageToken: '' } };
      const seesAll = hasScope(principal, 'admin:read');
      const isShown = (row: { readonly name: string; readonly owner: string }): boolean =>
        (seesAll || row.owner === principal.id) && (!agent || row.name === agent) && row.name > pageToken;
      const wanted = (removed ? open.removed : open.rows).filter(isShown);
      const registrations: RegisteredAgent[] = [];
      let bytes = 0;
      for (const row of wanted.slice(0, size)) {
        if (bytes > limits.page) break;
        const found = await open.findAny(row.name).catch(() => undefined);
        if (!found || found.removedAt > 0 !== removed) continue;
        const entry = registered(found, open, seesAll);
        bytes += JSON.stringify(entry).length;
        registrations.push(entry);
      }
      const last = registrations.at(-1)?.name;
      const isAll = last === undefined || last === wanted.at(-1)?.name;
      return { value: { registrations, nextPageToken: isAll ? '' : last } };
    },

    RenewAgent: async ({ name }, caller) => {
      requireOwn(await registry().stateOf(name), caller.principal, 'admin');
      const row = await registry().find(name);
      if (row.registration.lease === 0) throw fault('name', 'is registered without a lease');
      return shown(await registry().renew(row), caller);
    },

    ApproveAgent: async ({ name, revision, reject = false }, caller) =>
      shown(await registry().decide(name, revision, reject, caller.principal.id), caller),

    RemoveAgent: async ({ name, forget = false }, { principal }) => {
      const row = await registry().stateOf(name);
      requireOwn(row, principal, 'admin');
      if (!forget) await registry().remove(row, principal.id);
      else if (hasScope(principal, 'admin')) await registry().forget(row);
      else throw new A2AError('permissionDenied', 'Deleting the decisions about cards needs the scope admin');
      return { value: {} };
    },
  };
}

function requireLease(seconds: number): void {
  if (seconds !== 0 && !(seconds >= lease.least && seconds <= lease.most))
    throw fault('leaseSeconds', `must be 0, or from ${lease.least} to ${lease.most}`);
}

function requireShort(field: string, text: string, most: number): void {
  if (text.length > most) throw fault(field, `must have at most ${most} characters`);
}

/** @param seesAll whether revisions that former owners of the name have offered are shown */
function registered(row: RegistrationRow, registry: Registry, seesAll: boolean): RegisteredAgent {
  const { name, owner, expiresAt, removedAt, registration } = row;
  const { registeredAt, lease: leaseSeconds, problem = '', removedBy = '' } = registration;
  const revisions = registration.revisions.filter((revision) => seesAll || revision.owner === undefined);
  const served = approvedIn({ revisions });
  const isRemoved = removedAt > 0;
  const facts = ({ offer: { skills, ...texts }, card }: Revision): object => ({
    ...textsOf(texts),
    ...(skills.length > 0 && { skills }),
    card,
  });
  return {
    name,
    owner,
    registeredAt: timestamp(registeredAt),
    leaseSeconds,
    problem,
    ...(isRemoved && { removedAt: timestamp(removedAt), removedBy }),
    ...(!isRemoved && Number.isFinite(expiresAt) && { expiresAt: timestamp(expiresAt) }),
    active: !isRemoved && approvedIn(registration) !== undefined && registry.isOffered(name),
    revisions: revisions.map((revision): CardRevision => {
      const { id, state, seenAt, decidedAt, decidedBy = '', owner: offeredBy = owner } = revision;
      return {
        id,
        state: states[state],
        seenAt: timestamp(seenAt),
        decidedBy,
        offeredBy,
        ...(decidedAt !== undefined && { decidedAt: timestamp(decidedAt) }),
        differences: served === revision ? [] : differences(served && facts(served), facts(revision)),
      };
    }),
  };
}

/** Differences that are shown at most. */
const maxDifferences = 200;
/** Characters of a value that are shown. */
const maxValue = 1_000;

/**
 * Returns the differences between two JSON values: each place once, with both values. An absent value has no members.
 */
function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (found.length === maxDifferences || isDeepStrictEqual(one, other)) return;
    const left = one ?? other;
    const right = other ?? one;
    if (isObject(left) && isObject(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        compare(path === '' ? key : `${path}.${key}`, one && own(left, key), other && own(right, key));
    } else if (Array.isArray(left) && Array.isArray(right)) {
      for (let i = 0; i < Math.max(left.length, right.length); i += 1)
        compare(`${path}[${i}]`, one && left[i], other && right[i]);
    } else found.push({ path: shortened(path, maxValue), before: shown(one), after: shown(other) });
  };
  compare('', before, after);
  return found;
}

const shown = (value: unknown): string => (value === undefined ? '' : shortened(JSON.stringify(value), maxValue));
