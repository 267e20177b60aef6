// An agent made with a2a-go 0.3 that answers every message with a file, and calls another one.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"os"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type agent struct{}

func (agent) Execute(ctx context.Context, _ *a2asrv.RequestContext, queue eventqueue.Queue) error {
	content := base64.StdEncoding.EncodeToString([]byte(os.Getenv("FILE")))
	file := a2a.FileBytes{Bytes: content, FileMeta: a2a.FileMeta{Name: "a.bin", MimeType: "application/octet-stream"}}
	return queue.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, a2a.FilePart{File: file}))
}

func (agent) Cancel(context.Context, *a2asrv.RequestContext, eventqueue.Queue) error { return nil }

func call(transport a2a.TransportProtocol, url string) {
	ctx := context.Background()
	plain := a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))
	client, err := a2aclient.NewFromEndpoints(ctx, []a2a.AgentInterface{{Transport: transport, URL: url}}, plain)
	if err != nil {
		panic(err)
	}
	client.GetTask(ctx, &a2a.TaskQueryParams{ID: "any"})
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer()
	a2agrpc.NewHandler(a2asrv.NewHandler(agent{})).RegisterWith(server)
	json.NewEncoder(os.Stdout).Encode(map[string]int{"grpc": listener.Addr().(*net.TCPAddr).Port})
	go call(a2a.TransportProtocolGRPC, os.Getenv("CALL_GRPC"))
	go call(a2a.TransportProtocolJSONRPC, os.Getenv("CALL_HTTP"))
	panic(server.Serve(listener))
}
