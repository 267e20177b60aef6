/** How a client reaches an agent, as text to copy. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  /** What to install first. */
  readonly install?: string;
  readonly code: string;
  /** What else is to know, such as where credentials go. */
  readonly note?: string;
}

export interface SnippetFacts {
  /** URL of the gateway, without a slash at the end. */
  readonly gateway: string;
  readonly agent: string;
  /** Whether the agent also answers at the gateway's own URL. */
  readonly isDefault: boolean;
  /** The header for API keys; undefined where callers need none. */
  readonly apiKeyHeader: string | undefined;
  /** Whether callers can use bearer tokens. */
  readonly bearer: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The ways to reach an agent, the ones without a program first. The SDKs' blocks are those of the page about frameworks. */
export function snippetsFor(facts: SnippetFacts): readonly Snippet[] {
  const { gateway, agent, isDefault, apiKeyHeader, bearer } = facts;
  const url = `${gateway}/${agent}`;
  const { host, protocol } = new URL(gateway);
  const header =
    apiKeyHeader !== undefined
      ? `${apiKeyHeader}: $A2A_API_KEY`
      : bearer
        ? 'Authorization: Bearer $A2A_BEARER'
        : undefined;
  const needsCredential = header !== undefined;
  const headerFlag = header === undefined ? '' : ` \\\n  -H "${header}"`;
  const message = `"messageId": "1", "role": "ROLE_USER", "parts": [{ "text": "Ada" }]`;
  const environment = 'The command reads the API key from A2A_API_KEY, or a token from A2A_BEARER.';
  const sdkNote = 'docs/guides/frameworks.md of the package says where the SDK takes credentials.';
  return [
    {
      id: 'command',
      title: 'a2a-gateway',
      code: `npx a2a-gateway send ${url} 'Ada' --stream`,
      ...(needsCredential && { note: environment }),
    },
    {
      id: 'curl',
      title: 'curl',
      code: `curl ${quoted(`${url}/message:send`)} \\
  -H 'Content-Type: application/json' -H 'A2A-Version: 1.0'${headerFlag} \\
  -d '{ "message": { ${message} } }'`,
    },
    {
      id: 'grpcurl',
      title: 'grpcurl',
      code: `grpcurl${protocol === 'https:' ? '' : ' -plaintext'}${isDefault ? '' : ` \\\n  -H 'a2a-agent: ${agent}'`}${headerFlag} \\
  -d '{ "message": { ${message} } }' \\
  ${host} lf.a2a.v1.A2AService/SendMessage`,
      note: 'The gateway supports reflection, so that grpcurl needs no protos.',
    },
    {
      id: 'python',
      title: 'Python',
      install: "pip install 'a2a-sdk[http-server]'",
      code: `import asyncio

from a2a.client import create_client
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.types import Role, SendMessageRequest


async def main():
    client = await create_client('${url}/')
    message = new_text_message('Ada', role=Role.ROLE_USER)
    async for event in client.send_message(SendMessageRequest(message=message)):
        print(event.WhichOneof('payload'), get_stream_response_text(event))


asyncio.run(main())`,
      ...(needsCredential && { note: sdkNote }),
    },
    {
      id: 'javascript',
      title: 'JavaScript',
      install: 'npm install @a2a-js/sdk',
      code: `import { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';

const client = await new ClientFactory().createFromUrl('${url}/');
const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Ada' }] };
for await (const event of client.sendMessageStream(SendMessageRequest.fromJSON({ message })))
  console.log(JSON.stringify(StreamResponse.toJSON(event)));`,
      note: `The address needs its slash at the end.${needsCredential ? ` ${sdkNote}` : ''}`,
    },
    {
      id: 'go',
      title: 'Go',
      install: 'go get github.com/a2aproject/a2a-go/v2',
      code: `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
)

func main() {
	ctx := context.Background()
	card, err := agentcard.DefaultResolver.Resolve(ctx, "${url}")
	if err != nil {
		log.Fatal(err)
	}
	client, err := a2aclient.NewFromCard(ctx, card)
	if err != nil {
		log.Fatal(err)
	}
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("Ada"))
	for event, err := range client.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: message}) {
		if err != nil {
			log.Fatal(err)
		}
		text, _ := json.Marshal(event)
		fmt.Println(string(text))
	}
}`,
      ...(needsCredential && { note: sdkNote }),
    },
    {
      id: 'java',
      title: 'Java',
      install: 'io.github.a2asdk:a2a-java-sdk-client and io.github.a2asdk:a2a-java-sdk-client-transport-jsonrpc',
      code: `import io.a2a.A2A;
import io.a2a.client.Client;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.http.A2ACardResolver;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfig;
import io.a2a.spec.Task;
import io.a2a.spec.TextPart;
import java.util.concurrent.CountDownLatch;

public class Call {
    public static void main(String[] args) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Client client = Client.builder(new A2ACardResolver("${url}").getAgentCard())
                .withTransport(JSONRPCTransport.class, new JSONRPCTransportConfig())
                .addConsumer((event, card) -> {
                    Task task = event instanceof TaskEvent one ? one.getTask()
                            : event instanceof TaskUpdateEvent update ? update.getTask() : null;
                    if (task == null || !task.getStatus().state().isFinal()) return;
                    System.out.println(((TextPart) task.getArtifacts().get(0).parts().get(0)).getText());
                    ended.countDown();
                })
                .streamingErrorHandler(error -> {
                    if (error != null) error.printStackTrace();
                    ended.countDown();
                })
                .build();
        client.sendMessage(A2A.toUserMessage("Ada"));
        ended.await();
        client.close();
    }
}`,
      note: `This SDK speaks A2A 0.3.${needsCredential ? ` ${sdkNote}` : ''}`,
    },
    {
      id: 'mcp',
      title: 'MCP',
      code: JSON.stringify(
        {
          mcpServers: {
            [agent]: {
              url: `${url}/mcp`,
              ...(apiKeyHeader !== undefined && { headers: { [apiKeyHeader]: 'KEY' } }),
            },
          },
        },
        undefined,
        2,
      ),
      note: 'For editors and assistants: the skills of the agent are tools.',
    },
  ];
}
