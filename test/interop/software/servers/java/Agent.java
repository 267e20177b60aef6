import io.a2a.client.Client;
import io.a2a.client.transport.grpc.GrpcTransport;
import io.a2a.client.transport.grpc.GrpcTransportConfig;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.rest.RestTransportConfig;
import io.a2a.server.PublicAgentCard;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.events.EventQueue;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.TaskQueryParams;
import io.grpc.ManagedChannelBuilder;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import java.util.Base64;
import java.util.List;

/** Answers every message with a file, over gRPC and HTTP+JSON on one port, and calls another agent. */
@ApplicationScoped
public class Agent implements AgentExecutor {
    @Override
    public void execute(RequestContext context, EventQueue queue) {
        TaskUpdater updater = new TaskUpdater(context, queue);
        if (context.getTask() == null) updater.submit();
        String bytes = Base64.getEncoder().encodeToString(System.getenv("FILE").getBytes());
        updater.addArtifact(List.of(new FilePart(new FileWithBytes("text/plain", "a.txt", bytes))));
        updater.complete();
    }

    @Override
    public void cancel(RequestContext context, EventQueue queue) {
        new TaskUpdater(context, queue).cancel();
    }

    void call(@Observes StartupEvent event) throws Exception {
        GrpcTransportConfig plain =
                new GrpcTransportConfig(url -> ManagedChannelBuilder.forTarget(url).usePlaintext().build());
        get(Client.builder(cardFor("GRPC", System.getenv("CALL_GRPC"))).withTransport(GrpcTransport.class, plain).build());
        get(Client.builder(cardFor("HTTP+JSON", System.getenv("CALL_HTTP")))
                .withTransport(RestTransport.class, new RestTransportConfig()).build());
    }

    private static void get(Client client) {
        new Thread(() -> client.getTask(new TaskQueryParams("any"))).start();
    }

    @Produces
    @PublicAgentCard
    AgentCard card() {
        return cardFor("HTTP+JSON", "http://127.0.0.1/");
    }

    private static AgentCard cardFor(String transport, String url) {
        return new AgentCard.Builder()
                .name("Files").description("Answers with a file").version("1.0.0").protocolVersion("0.3.0")
                .url(url).preferredTransport(transport)
                .capabilities(new AgentCapabilities.Builder().streaming(true).build())
                .defaultInputModes(List.of("text/plain")).defaultOutputModes(List.of("text/plain"))
                .skills(List.of())
                .build();
    }
}
