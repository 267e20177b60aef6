// An agent made with a2a-go 2 that also speaks A2A 0.3, answers every message with a file, and calls another one.
package main

import (
	"context"
	"encoding/json"
	"iter"
	"net"
	"net/http"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type agent struct{}

func (agent) Execute(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		file := a2a.NewRawPart([]byte(os.Getenv("FILE")))
		file.Filename, file.MediaType = "a.bin", "application/octet-stream"
		yield(a2a.NewMessage(a2a.MessageRoleAgent, file), nil)
	}
}

func (agent) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(func(a2a.Event, error) bool) {}
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener
}

func call(transport a2a.TransportProtocol, url string) {
	ctx := context.Background()
	client, err := a2aclient.NewFromEndpoints(
		ctx,
		[]*a2a.AgentInterface{{ProtocolBinding: transport, URL: url, ProtocolVersion: a2av0.Version}},
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
		a2av0.WithRESTTransport(a2av0.RESTTransportConfig{}),
	)
	if err != nil {
		panic(err)
	}
	client.GetTask(ctx, &a2a.GetTaskRequest{ID: "any"})
}

func main() {
	handler := a2asrv.NewHandler(agent{})
	rpc, web := listen(), listen()
	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go http.Serve(web, a2av0.NewRESTHandler(handler))
	json.NewEncoder(os.Stdout).Encode(map[string]int{
		"grpc": rpc.Addr().(*net.TCPAddr).Port,
		"rest": web.Addr().(*net.TCPAddr).Port,
	})
	go call(a2a.TransportProtocolGRPC, os.Getenv("CALL_GRPC"))
	go call(a2a.TransportProtocolHTTPJSON, os.Getenv("CALL_HTTP"))
	panic(server.Serve(rpc))
}
