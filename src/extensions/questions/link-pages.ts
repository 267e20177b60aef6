import type { IncomingMessage, ServerResponse } from 'node:http';
import { logFailure } from '../../core/middleware/logging.ts';
import type { Part } from '../../core/model/a2a.ts';
import { readForm } from '../../core/model/answer-form.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { AnswerFacts } from '../../core/model/question.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { SizedRecord } from '../../core/ports/task-store.ts';
import { BodyReader } from '../../transports/http/body.ts';
import { requestIdOf } from '../../transports/http/call-head.ts';
import {
  answerType,
  errorHeaders,
  isJsonType,
  mediaTypeOf,
  type PageHandler,
  send,
} from '../../transports/http/headers.ts';
import { RequestFacts } from '../../transports/http/request-facts.ts';
import { parseJson } from '../../wire/json-body.ts';
import { type Link, type Links, linkPath, type OpenLink, shownQuestion } from './links.ts';
import { outcomePage, pageHeaders, questionPage, type RefusedForm } from './page.ts';

export interface LinkPagesOptions {
  readonly links: () => Promise<Links>;
  /** Applies the request rate to a network. Throws A2AError `tooManyRequests`. */
  readonly admit: (facts: RequestFacts) => unknown;
  /** Answers a question once, on behalf of the task's owner. */
  readonly answer: (task: SizedRecord, answer: LinkAnswer, request: string) => Promise<void>;
  readonly logger: Logger;
}

export interface LinkAnswer {
  readonly parts: readonly Part[];
  readonly facts: AnswerFacts;
  readonly generation: string;
}

/** Answer to a request, as a page or as JSON. */
interface Answer {
  readonly status: number;
  readonly html: string;
  readonly json: object;
  readonly headers?: readonly string[];
}

/** Most bytes of an answer, and milliseconds in which it must arrive. */
const limits = { body: 256 * 1024, arrival: 10_000 };

const prefix = `${linkPath}/`;

/**
 * Serves the links to questions: GET shows the question, POST answers it, and neither needs a script. A GET never answers, since
 * programs open links to preview them. The link is the right to answer, and the only one: no cookie or other credential of a
 * browser is read, so that another site cannot use them (CSRF).
 */
export function createLinkPages({ links, admit, answer, logger }: LinkPagesOptions): PageHandler {
  const bodies = new BodyReader(limits);

  async function respond(req: IncomingMessage, token: string, request: string): Promise<Answer> {
    const { method } = req;
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new A2AError('verbNotAllowed', 'A link to a question accepts GET and POST');
    }
    await admit(new RequestFacts(req));
    const { open } = await links();
    const link = await open(token);
    if (link.state !== 'open') return outcomeOf(link);
    if (method !== 'POST') return shown(link);
    const { parts, form } = await readAnswer(req, link);
    const facts: AnswerFacts = { by: link.call?.by ?? link.question.for ?? 'link', way: 'link' };
    try {
      await answer(link.record, { parts, facts, generation: String(link.generation) }, request);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind === 'taskGenerationMismatch') {
        const now = await open(token);
        if (now.state !== 'open') return outcomeOf(now);
      }
      if (!form || error.violations.length === 0) throw error;
      const { message, violations } = error;
      return { ...failed(error), html: shown(link, { form, message, violations }).html };
    }
    return {
      status: 200,
      html: outcomePage('Answered', 'The answer was given. This page can be closed.'),
      json: { answered: true },
    };
  }

  async function readAnswer(
    req: IncomingMessage,
    { question: { schema } }: OpenLink,
  ): Promise<{ parts: Part[]; form?: URLSearchParams }> {
    const bytes = await bodies.read({ req });
    const type = mediaTypeOf(req) ?? '';
    if (isJsonType(type)) {
      const body = parseJson(bytes);
      if (isObject(body) && body.action === 'decline' && schema) return { parts: [declined] };
      if (!isObject(body) || body.answer === undefined) throw A2AError.invalidParams(undefined, [needed]);
      return { parts: [partOf(body.answer)] };
    }
    if (type !== 'application/x-www-form-urlencoded') {
      throw new A2AError('contentTypeNotSupported', 'An answer must be a form or JSON');
    }
    const form = new URLSearchParams(bytes.toString('utf8'));
    return { parts: [schema && form.get('action') === 'decline' ? declined : partOf(readForm(schema, form))], form };
  }

  return (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith(prefix)) return false;
    const token = url.slice(prefix.length).split('?', 1)[0] ?? '';
    const request = requestIdOf(new RequestFacts(req));
    void respond(req, token, request)
      .catch((thrown: unknown) => {
        const error = A2AError.from(thrown);
        logFailure(logger, error, { request });
        return failed(error);
      })
      .then((sent) => write(req, res, sent, request));
    return true;
  };
}

const declined: Part = { data: { action: 'decline' } };

const needed = { field: 'answer', description: 'is required' } as const;

/** Returns an answer as a part: a text stays a text, since agents that read texts need one. */
export const partOf = (value: unknown): Part => (typeof value === 'string' ? { text: value } : { data: value });

function write(
  req: IncomingMessage,
  res: ServerResponse,
  { status, html, json, headers = [] }: Answer,
  request: string,
): void {
  const usual = isJsonType(mediaTypeOf(req) ?? '') ? 'application/json' : 'text/html';
  const type = answerType(req.headers.accept, 'text/html', usual);
  const [mediaType, body] = type === 'text/html' ? ['text/html; charset=utf-8', html] : [type, JSON.stringify(json)];
  send(res, status, [...pageHeaders, 'X-Request-Id', request, ...headers], mediaType, body);
}

function shown({ record: { agent }, question, call }: OpenLink, refused?: RefusedForm): Answer {
  return {
    status: 200,
    html: questionPage(agent, question, refused, call),
    json: { agent, question: shownQuestion(question), ...call },
  };
}

/** Returns the answer for a link that can no longer be used. */
function outcomeOf(link: Exclude<Link, OpenLink>): Answer {
  switch (link.state) {
    case 'gone':
      return outcome(404, 'NOT_FOUND', 'No such question', 'The link is not valid, or its task was deleted.');
    case 'answered': {
      const by = link.by ?? 'the caller to whom the task belongs';
      return outcome(409, 'ABORTED', 'Answered already', `The question was answered already, by ${by}.`);
    }
    case 'moved':
      return outcome(410, 'FAILED_PRECONDITION', 'Not asked any more', 'The task is over, or asks something else.');
    case 'late':
      return outcome(410, 'FAILED_PRECONDITION', 'Too late', 'The time for answers to this question is over.');
  }
}

const outcome = (code: number, status: string, title: string, message: string): Answer => ({
  status: code,
  html: outcomePage(title, message),
  json: { error: { code, status, message } },
});

function failed(error: A2AError): Answer {
  const { http: code, grpc: status } = error.row;
  const { message } = error;
  return {
    status: code,
    html: outcomePage('The answer was not taken', message),
    json: { error: { code, status, message, details: error.details() } },
    headers: [...errorHeaders(error), ...(error.kind === 'verbNotAllowed' ? ['Allow', 'GET, HEAD, POST'] : [])],
  };
}
