import { hash } from 'node:crypto';
import type { StreamResponse } from '../../core/model/a2a.ts';
import type { Call, CallContext, ReplyNotes } from '../../core/model/call.ts';
import { looksGenerated } from '../../core/model/ids.ts';
import {
  type Ancestor,
  type ParentFacts,
  parentKey,
  parentOf,
  pathTo,
  requireNoCircle,
  rootOf,
} from '../../core/model/lineage.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Run, RunHook, RunOutcome, RunStart } from '../../core/ports/run-hook.ts';
import type { Store } from '../../core/ports/store.ts';
import { logRateLimited } from '../../core/telemetry/rate-limited-log.ts';
import { addUsage, type Usage } from '../../core/telemetry/usage.ts';
import { endOf, type RootLimits, usedUp } from './bounds.ts';
import { CurrentBudgets, openTreeBudgets, type TreeBudget, type TreeBudgets, type TreePart } from './budgets.ts';
import { type BoundsLeft, readPath, signPath, type TreePath } from './path.ts';

export interface TreesDeps {
  readonly store: Store;
  readonly logger: Logger;
  /** Number of paths that were refused, by fault. */
  readonly refused: Map<string, number>;
}

/** Milliseconds between two looks at the usage of running tasks, within which the usage at other replicas is noticed, too. */
const interval = 500;
/** Number of looks at budgets after which old ones are deleted. */
const forgetEvery = 20_000;

/** Facts about a call that opens a task. */
interface Entry {
  readonly parent: ParentFacts;
  /** Remaining bounds of the calling gateway. */
  readonly left?: BoundsLeft | undefined;
}

/** Run whose usage is counted until it ends. */
interface Member extends Pick<Run, 'key' | 'owner' | 'parent' | 'createdAt' | 'fail'> {
  /** Returns the bytes of its task's events, or of its direct answer. */
  bytes: () => number;
  /** Bytes of the last Message, which may become a direct answer. */
  answer?: number;
  usage?: Usage | undefined;
  /** Whether its agent has reported the whole cost of the task, including former turns. */
  isWhole?: boolean;
  /** Amounts that are stored. */
  written: { bytes: number; cost: number };
  hasLeft: boolean;
}

/** Runs under way at this replica, by their budgets. Runs that have ended stay until their usage is stored. */
class TreeMembers extends Map<string, Set<Member>> {
  /** The latest look at all of them. */
  looking: Promise<unknown> = Promise.resolve();

  /**
   * Removes runs of a caller's tasks. Once it resolves, nothing more is stored about them. @param before milliseconds since the
   * epoch
   */
  async forget(principal: string, before: number): Promise<void> {
    for (const [id, members] of this) {
      for (const member of members) {
        if (member.owner.principal === principal && member.createdAt <= before) members.delete(member);
      }
      if (members.size === 0) this.delete(id);
    }
    await this.looking.catch(() => undefined);
  }
}

/** Trees of calls under the limits of the configuration. */
export class GatewayTrees implements RunHook {
  readonly #deps: TreesDeps;
  #limits: RootLimits;
  #opening: Promise<TreeBudgets> | undefined;
  readonly members = new TreeMembers();
  /** Counted runs under way. */
  readonly #running = new Map<Run, Member>();
  /** Verified paths of calls, by the calls' notes, so that a path is verified once. */
  readonly #verified = new WeakMap<ReplyNotes, { readonly entry: Entry | undefined }>();
  #timer: NodeJS.Timeout | undefined;
  /** Remaining budgets of the runs under way at this replica. */
  readonly #current = new CurrentBudgets();
  #looks = 0;

  constructor(deps: TreesDeps, limits: RootLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /** Applies the limits of another configuration. */
  configure(limits: RootLimits): this {
    this.#limits = limits;
    return this;
  }

  /**
   * Counts a call that opens a task, and from then on what its run does. Rejects where the call would be a circle, or a budget is
   * used up. A task with a budget is stored first: it can be failed from its beginning on.
   */
  async begin(run: Run, call: Call | undefined): Promise<RunStart | undefined> {
    const parent = run.opens && call ? await this.#enter(run.agent, call.context) : run.parent;
    const { key, owner, createdAt } = run;
    const member = this.#watch({
      key,
      owner,
      parent,
      createdAt,
      bytes: () => run.size(),
      fail: (reason) => run.fail(reason),
    });
    if (member) this.#running.set(run, member);
    return {
      ...(run.opens && parent && { metadata: { [parentKey]: { ...parent } } }),
      storedFirst: member !== undefined,
    };
  }

  /** Counts a call that opens a task. Resolves with the task whose agent made the call. Undefined: a caller made it. */
  async #enter(agent: string, context: CallContext): Promise<ParentFacts | undefined> {
    const own = parentOf(context.semantics.taskMetadata);
    const entry: Entry | undefined = own ? { parent: own } : this.#entryOf(context);
    if (!entry) return undefined;
    requireNoCircle(pathTo(entry.parent), agent, this.#limits.reentries);
    await this.#spend(entry);
    return entry.parent;
  }

  /** Returns the tasks that led to a call, from its path. The path is not verified again when the call opens a task. */
  stepsTo(context: CallContext): readonly Ancestor[] {
    const entry = this.#entryOf(context);
    if (context.path !== undefined) this.#verified.set(context.notes, { entry });
    return pathTo(entry?.parent);
  }

  /** Returns the caller by the call's path. Undefined: the call begins a tree of its own. */
  #entryOf({ path, hops, requestId, principal, notes }: CallContext): Entry | undefined {
    const { keys, gateway } = this.#limits;
    if (path === undefined || !keys) return undefined;
    const verified = this.#verified.get(notes);
    if (verified) return verified.entry;
    const read = readPath(
      path,
      keys.map((key) => key.reveal()),
      Date.now(),
    );
    if (typeof read !== 'string') return entryOf(read, gateway, hops);
    const { refused } = this.#deps;
    refused.set(read, (refused.get(read) ?? 0) + 1);
    const fields = { reason: read, request: requestId, principal: principal.id };
    const message = 'a call has a path (A2A-Gateway-Path) that is not taken: it begins a tree of its own';
    logRateLimited(this.#deps.logger, 'tree path', fields, message);
    return undefined;
  }

  /** Returns the id of the budget of a part of a tree. Undefined: it has none at this gateway. */
  #budgetOf(parent: ParentFacts | undefined, key: string): string | undefined {
    if (parent?.budget) return parent.budget;
    const { calls, depth, time, bytes, cost } = this.#limits;
    const isLimited = [calls, depth, time, bytes, cost].some((limit) => limit !== undefined);
    // A tree that began at another gateway is counted there.
    const isOwn = !pathTo(parent).some(({ gateway }) => gateway !== undefined);
    return isLimited && isOwn ? rootOf(parent, key) : undefined;
  }

  /** Counts a call. Throws if its budget is used up. */
  async #spend({ parent, left }: Entry): Promise<void> {
    const id = this.#budgetOf(parent, parent.task);
    if (id === undefined) return;
    const budgets = await this.#budgets();
    if (left) {
      await budgets.open(id, budgetOf(left));
      this.#current.changed();
    }
    const budget = await this.#read(id, parent.budget === undefined);
    const length = pathTo(parent).length + 1;
    if (budget.depth !== undefined && length > budget.depth) throw usedUp('depth', this.#limits, parent.root ?? id);
    const end = endOf(budget, Date.now());
    if (end) throw usedUp(end, this.#limits, parent.root ?? id);
    if (!(await budgets.takeCall(id))) throw usedUp('calls', this.#limits, parent.root ?? id);
  }

  /** Reads a remaining budget. If the tree began here and has no budget yet, the budget is created. */
  async #read(id: string, isOwn: boolean, since = startOf(id)): Promise<TreeBudget> {
    const budgets = await this.#budgets();
    this.#looks += 1;
    if (this.#looks % forgetEvery === 0) await budgets.forget();
    const known = await budgets.read(id);
    if (known) return known;
    // The budget was deleted, long after its end.
    if (!isOwn) return { endsAt: 0 };
    const { calls, depth, time, bytes, cost } = this.#limits;
    await budgets.open(id, {
      calls: finite(calls),
      depth: finite(depth),
      bytes,
      cost,
      endsAt: time === undefined ? undefined : since + time,
    });
    return (await budgets.read(id)) ?? {};
  }

  async path({ key, taskId, agent, parent }: Run): Promise<string | undefined> {
    const { keys, gateway } = this.#limits;
    const [signing] = keys ?? [];
    if (!signing || !gateway) return undefined;
    const root = rootOf(parent, key);
    const steps = [...pathTo(parent), { agent, task: taskId }].map((step) => ({ gateway, ...step }));
    const id = this.#budgetOf(parent, key);
    const left = id === undefined ? undefined : await this.#left(id, parent, root);
    return signPath({ root: rootName(root, gateway), steps, left }, signing.reveal(), Date.now());
  }

  /** Returns the remaining budget for another gateway. Throws if it is used up. */
  async #left(id: string, parent: ParentFacts | undefined, root: string): Promise<BoundsLeft> {
    const members = this.members.get(id);
    if (members) await this.#write(id, members);
    const { endsAt, ...left } = await this.#read(id, parent?.budget === undefined);
    const end = left.calls !== undefined && left.calls < 1 ? 'calls' : endOf({ ...left, endsAt }, Date.now());
    if (end) throw usedUp(end, this.#limits, root);
    return { ...left, time: endsAt === undefined ? undefined : endsAt - Date.now() };
  }

  /** Begins to count a run. Undefined: its tree has no budget. */
  #watch(run: Omit<Member, 'written' | 'hasLeft'>): Member | undefined {
    const id = this.#budgetOf(run.parent, run.key);
    if (id === undefined) return undefined;
    const member: Member = { ...run, written: { bytes: 0, cost: 0 }, hasLeft: false };
    const members = this.members.get(id) ?? new Set();
    this.members.set(id, members.add(member));
    this.#look();
    return member;
  }

  /** Adds the cost that an event reports. */
  event(run: Run, event: StreamResponse): undefined {
    const member = this.#running.get(run);
    if (!member) return;
    if (event.message) member.answer = JSON.stringify(event).length;
    const before = member.usage;
    member.usage = addUsage(before, event);
    if (member.usage === before) return;
    if (event.task) member.isWhole = true;
    this.#look();
  }

  end(run: Run, outcome: RunOutcome): void {
    const member = this.#running.get(run);
    if (!member) return;
    this.#running.delete(run);
    const { answer } = member;
    if (outcome === 'answered' && answer !== undefined) member.bytes = () => answer;
    member.hasLeft = true;
  }

  /** Looks at the usage of all runs after an interval. */
  #look(): void {
    this.#timer ??= setTimeout(() => void this.#lookNow(), interval).unref();
  }

  async #lookNow(): Promise<void> {
    try {
      this.members.looking = Promise.all(Array.from(this.members, ([id, members]) => this.#lookAt(id, members)));
      await this.members.looking;
    } catch (err) {
      logRateLimited(this.#deps.logger, 'tree budgets', { err }, 'the budgets of trees cannot be read or written');
    }
    this.#timer = undefined;
    if (this.members.size > 0) this.#look();
    else this.#current.close();
  }

  /** Stores the usage of a budget's runs, and fails them if the budget is used up. */
  async #lookAt(id: string, members: Set<Member>): Promise<void> {
    const now = Date.now();
    const { time, bytes, cost } = this.#limits;
    const isOwn = [...members].every(({ parent }) => parent?.budget === undefined);
    const [first] = members;
    const onlyRoot = isOwn && members.size === 1 && first?.key === id;
    let budget: TreeBudget | undefined;
    // A tree of one task needs no row for its time.
    if (onlyRoot && bytes === undefined && cost === undefined && first && costOf(first) === 0)
      budget = { endsAt: time === undefined ? undefined : first.createdAt + time };
    else {
      this.#current.follow(await this.#budgets(), () => this.members.keys(), interval);
      await this.#write(id, members);
      budget = await this.#current.get(id, () => this.#read(id, isOwn, sinceOf(id, members)));
    }
    for (const member of members) if (member.hasLeft && isWritten(member)) members.delete(member);
    if (onlyRoot && first?.hasLeft) members.delete(first);
    if (members.size === 0) this.members.delete(id);
    const end = endOf(budget, now);
    if (!end) return;
    for (const member of members) {
      member.fail(usedUp(end, this.#limits, rootOf(member.parent, member.key)));
    }
  }

  async #write(id: string, members: ReadonlySet<Member>): Promise<void> {
    const parts: TreePart[] = [];
    const after: [Member, Member['written']][] = [];
    for (const member of members) {
      if (isWritten(member)) continue;
      const { key, isWhole } = member;
      const now = { bytes: member.bytes(), cost: costOf(member) };
      const before =
        (isWhole && member.written.cost === 0 && (await this.costs([key])).get(key)) || member.written.cost;
      parts.push({ key, bytes: now.bytes, cost: Math.max(0, now.cost - before) });
      after.push([member, now]);
    }
    if (parts.length === 0) return;
    await this.#read(
      id,
      [...members].every(({ parent }) => parent?.budget === undefined),
      sinceOf(id, members),
    );
    await (await this.#budgets()).put(id, parts);
    this.#current.changed();
    for (const [member, written] of after) member.written = written;
  }

  /** Returns the costs that tasks have reported. */
  async costs(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return (await this.#budgets()).costs(keys);
  }

  /** Stores the usage that is not stored yet. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#current.close();
    await Promise.allSettled(Array.from(this.members, ([id, members]) => this.#write(id, members)));
    this.members.clear();
  }

  /** Opened when a tree first has a budget. */
  #budgets(): Promise<TreeBudgets> {
    this.#opening ??= this.#deps.store.extend(openTreeBudgets).catch((thrown: unknown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }
}

const costOf = ({ usage }: Member): number => usage?.cost ?? 0;

const isWritten = (member: Member): boolean =>
  member.written.bytes === member.bytes() && member.written.cost === costOf(member);

const finite = (limit: number | undefined): number | undefined => (Number.isFinite(limit) ? limit : undefined);

/**
 * Returns the name of a root for other gateways. It includes the gateway, since a task's key is unique only there if a caller
 * chose the id.
 */
export const rootName = (root: string, gateway: string): string =>
  root.startsWith('[') ? `${gateway}/${hash('sha256', root, 'base64url')}` : root;

/** Returns the time at which a tree began. Undefined: not known. */
const sinceOf = (id: string, members: ReadonlySet<Member>): number | undefined =>
  [...members].find(({ key }) => key === id)?.createdAt;

/** Returns the time at which a task with a generated id was opened, or else the present time. Milliseconds since the epoch. */
const startOf = (key: string): number =>
  looksGenerated(key) ? Number.parseInt(`${key.slice(0, 8)}${key.slice(9, 13)}`, 16) : Date.now();

/** The facts in a verified path. Steps at this gateway name none. Its use at this gateway is counted under its root. */
function entryOf({ root, steps, left }: TreePath, own: string | undefined, hops: number): Entry {
  const above = steps.map(({ gateway, ...step }): Ancestor => (gateway === own ? step : { gateway, ...step }));
  const last = above.pop() as Ancestor;
  const parent = { ...last, hops, root, ...(above.length > 0 && { above }), ...(left && { budget: root }) };
  return { parent, left };
}

const budgetOf = ({ time, ...left }: BoundsLeft): TreeBudget => ({
  ...left,
  endsAt: time === undefined ? undefined : Date.now() + time,
});
