import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { principalById, principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, own, parsedJson } from '../../core/model/json.ts';
import { hasScope } from '../../core/model/principal.ts';
import type { Question } from '../../core/model/question.ts';
import { answeredAlready, type Cause, type onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { readQuestion } from '../../core/tasks/open-question.ts';
import type { SlackConfig } from '../../gen/settings.ts';
import type { SealedTokens } from '../../net/credentials/sealed-tokens.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { BodyReader } from '../../transports/http/body.ts';
import { requestIdOf } from '../../transports/http/call-head.ts';
import { sendEmpty, sendError } from '../../transports/http/headers.ts';
import { RequestFacts } from '../../transports/http/request-facts.ts';
import type { SealedChoice } from './deliveries.ts';
import { choicesIn, decisions, escaped, withNote } from './messages.ts';
import { signatureFault } from './signature.ts';

export interface InteractionsDeps {
  readonly store: Pick<Store, 'events' | 'latestTurn' | 'overviewOf' | 'now'>;
  readonly audit: Audit;
  readonly logger: Logger;
  /** HTTP client whose guard checks the URLs that get the outcomes. */
  readonly http: HttpClient;
  readonly tokens: SealedTokens<SealedChoice>;
  readonly auth: () => AuthSettings;
  /** Applies the request rate to a network. Throws A2AError `tooManyRequests`. */
  readonly admit: (facts: RequestFacts) => unknown;
  /** Decides about a held call, or answers a question once on behalf of the task's owner. */
  readonly answer: ReturnType<typeof onBehalfOfOwners>['answer'];
  /** Whether a name in the configuration stands for a principal. */
  readonly isNamed: (name: string, principalId: string) => boolean;
  /** Milliseconds after which Slack gets its answer at the latest, even if the decision takes longer. Default: 2,000. */
  readonly answerWithin?: number;
}

/** A click on a button. */
interface Click {
  readonly user: string;
  readonly team: string;
  /** The sealed choice. */
  readonly value: string;
  readonly responseUrl: string;
  /** Message that has the button. */
  readonly message: unknown;
}

/** Result for the person who clicked: a note in the message, or an answer that others do not see. */
interface Outcome {
  readonly text: string;
  /** Whether the message keeps its buttons. Absent: the message stays unchanged. */
  readonly asks?: boolean;
}

/** Most bytes of a request, and milliseconds in which it must arrive. */
const limits = { body: 256 * 1024, arrival: 10_000 };

/** Milliseconds for a decision, and for the request that reports its outcome. */
const timeouts = { decision: 30_000, outcome: 10_000 } as const;

/** Origin of the URLs to which outcomes are sent. */
const slackOrigin = 'https://hooks.slack.com';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the click in a request of Slack. Undefined: the request is not about a click. */
function clickIn(body: Buffer): Click | undefined {
  const payload = parsedJson(new URLSearchParams(body.toString('utf8')).get('payload') ?? '');
  if (!isObject(payload) || payload.type !== 'block_actions' || !Array.isArray(payload.actions)) return undefined;
  const [action] = payload.actions.filter(isObject);
  const { user, team, message, response_url: url } = payload;
  if (!action || !isObject(user)) return undefined;
  return {
    user: textOf(user.id),
    team: isObject(team) ? textOf(team.id) : '',
    value: textOf(action.value),
    responseUrl: textOf(url),
    message,
  };
}

/**
 * Carries out the decisions that people make in Slack. Slack gets an answer at once, and the outcome later at the URL in its
 * request.
 */
export class Interactions {
  readonly #deps: InteractionsDeps;
  readonly #bodies = new BodyReader(limits);
  readonly #running = new Set<Promise<void>>();

  constructor(deps: InteractionsDeps) {
    this.#deps = deps;
  }

  /** Answers a request. @param slack settings at the time of the request */
  serve(req: IncomingMessage, res: ServerResponse, slack: SlackConfig): void {
    const facts = new RequestFacts(req);
    const request = requestIdOf(facts);
    const headers = ['X-Request-Id', request];
    this.#take(req, facts, slack, request).then(
      () => sendEmpty(res, 200, headers),
      (thrown: unknown) => {
        const error = A2AError.from(thrown);
        logFailure(this.#deps.logger, error, { request });
        if (error.kind === 'verbNotAllowed') headers.push('Allow', 'POST');
        sendError(res, error, headers);
      },
    );
  }

  /** Resolves when all decisions under way are over. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #take(req: IncomingMessage, facts: RequestFacts, slack: SlackConfig, requestId: string): Promise<void> {
    const { admit, audit, store, answerWithin = 2_000 } = this.#deps;
    if (req.method !== 'POST') throw new A2AError('verbNotAllowed', 'Slack posts its requests to this path');
    await admit(facts);
    const body = await this.#bodies.read({ req }, { asSent: true });
    const signed = {
      timestamp: facts.header('x-slack-request-timestamp'),
      signature: facts.header('x-slack-signature'),
    };
    const reason = signatureFault(signed, body, slack.signingSecret.reveal(), store.now());
    if (reason !== undefined) {
      audit({ event: 'approval.refused', reason, address: facts.remoteAddress, request: requestId });
      throw new A2AError('unauthenticated', `The request cannot be verified as a request of Slack: ${reason}`);
    }
    const click = clickIn(body);
    if (!click) return;
    const deciding = this.#decide(click, slack, requestId).finally(() => this.#running.delete(deciding));
    this.#running.add(deciding);
    await Promise.race([deciding, sleep(answerWithin, undefined, { ref: false })]);
  }

  /** Decides, and sends the outcome to Slack. Never rejects. */
  async #decide(click: Click, slack: SlackConfig, requestId: string): Promise<void> {
    const { logger } = this.#deps;
    const cause: Cause = { requestId, hops: 0, signal: AbortSignal.timeout(timeouts.decision) };
    try {
      const outcome = await this.#outcome(click, slack, cause).catch((thrown: unknown): Outcome => {
        const error = A2AError.from(thrown);
        logFailure(logger, error, { request: requestId });
        return { text: `It was not decided: ${escaped(error.message)}` };
      });
      await this.#send(click, slack, outcome);
    } catch (err) {
      logger.warn({ request: requestId, err }, 'the outcome of a decision could not be sent to Slack');
    }
  }

  async #outcome(click: Click, slack: SlackConfig, cause: Cause): Promise<Outcome> {
    const { audit, auth, logger, store, tokens } = this.#deps;
    const { requestId: request } = cause;
    const refused = (reason: string, text: string, principal?: string): Outcome => {
      audit({ event: 'approval.refused', reason, request, ...(principal !== undefined && { principal }) });
      return { text };
    };
    if (slack.team !== undefined && click.team !== slack.team)
      return refused('it comes from another workspace', 'Decisions are not taken from this workspace.');
    const choice = tokens.open(click.value);
    if (!choice) return refused('its button is not of this gateway', 'This button is not one of this gateway.');
    const name = own(slack.users, click.user);
    const by = name === undefined ? undefined : principalIdsNamed(auth(), name)[0];
    if (by === undefined) {
      const text = `The Slack user ${escaped(click.user)} stands for no caller of the gateway. An operator names one in \`approvals.slack.users\`.`;
      return refused('the Slack user stands for no caller', text);
    }
    const who = `<@${click.user}> (${escaped(by)})`;
    try {
      const done = await this.#carryOut(choice, by, cause);
      const asked = await this.#asked(choice, cause);
      if (!asked.question) return { text: `${done} by ${who}`, asks: false };
      const given = asked.question.ask?.asks.flatMap((ask) => ask.given.map((one) => escaped(one.by))) ?? [];
      return { text: `Agreed so far: ${[...new Set(given)].join(', ')}`, asks: true };
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind === 'permissionDenied') return refused('the caller may not decide', escaped(error.message), by);
      logFailure(logger, error, { request });
      const { task, question } = await this.#asked(choice, cause);
      const { message } = task && !question ? await answeredAlready(store, task, cause) : error;
      return { text: escaped(message), ...(!question && { asks: false }) };
    }
  }

  /** Reads the task and the question of a choice. Without a question, the task no longer asks it. */
  async #asked([key, seq]: SealedChoice, cause: Cause) {
    const { store } = this.#deps;
    const task = await store.overviewOf(key);
    const question = task && (await readQuestion(store, task, cause));
    return { task, question: (question?.ask ?? question)?.seq === seq ? question : undefined };
  }

  /** Carries out a choice. Resolves with a text about the result, in Slack's format. */
  async #carryOut(choice: SealedChoice, by: string, cause: Cause): Promise<string> {
    const { answer, store } = this.#deps;
    const { task, question } = await this.#asked(choice, cause);
    if (!task) throw A2AError.taskNotFound(choice[0]);
    if (!question) throw await answeredAlready(store, task, cause);
    const { ask, generation } = question;
    if (!ask && !this.#mayAnswer(task, question, by)) {
      throw new A2AError('permissionDenied', `${by} may not answer this question`);
    }
    const chosen = (ask ? decisions : choicesIn(question.schema))[choice[2]];
    if (!chosen) throw new A2AError('unsupportedOperation', 'The question has no such choice');
    const parts = [typeof chosen.answer === 'string' ? { text: chosen.answer } : { data: chosen.answer }];
    await answer(task, { parts, facts: { by, way: 'chat' }, generation: String(generation) }, cause);
    return chosen.done;
  }

  /** Whether a caller owns the task, is the person whom its question names, or may answer all questions. */
  #mayAnswer(task: TaskOverview, { for: delegate }: Question, by: string): boolean {
    const { auth, isNamed } = this.#deps;
    if (by === task.principal || (delegate !== undefined && isNamed(delegate, by))) return true;
    const principal = principalById(auth(), by);
    return principal !== undefined && hasScope(principal, 'admin');
  }

  async #send({ responseUrl, message }: Click, slack: SlackConfig, { text, asks }: Outcome): Promise<void> {
    const { http } = this.#deps;
    const url = URL.parse(responseUrl);
    const origins = [slackOrigin, new URL(slack.webhook.reveal()).origin];
    if (!url || !origins.includes(url.origin)) {
      throw new TypeError('the response_url is neither of Slack nor of the server of the webhook');
    }
    const content =
      asks === undefined
        ? { response_type: 'ephemeral', replace_original: false, text }
        : { replace_original: true, ...withNote(message, text, asks) };
    const answer = await http.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(content),
      signal: AbortSignal.timeout(timeouts.outcome),
      timeout: timeouts.outcome,
    });
    answer.discard();
    if (answer.status >= 300) throw new TypeError(`Slack answered the outcome with HTTP ${answer.status}`);
  }
}
