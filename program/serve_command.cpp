#include <fmt/format.h>
#include <httplib.h>

#include <memory>
#include <utility>

#include "number_option.hpp"
#include "report/live_page.hpp"
#include "view_commands.hpp"

namespace softradial::program {
namespace {

constexpr const char* kServeExamples = R"(Examples:
  softradial serve --store small.sqlite
  softradial serve --store runs --port 9000
  softradial serve --store runs/taxi --zones zone_lookup.csv

Shows the report of a sweep or of a folder of runs in the browser and makes it anew as trials finish; Ctrl-C ends it. It only
reads. It answers on this machine alone, and no request that names another host.)";

struct ServeArguments {
  std::string source;
  std::string host = "127.0.0.1";
  int port = 8157;
  std::string zones;
};

constexpr study::FieldRange kPorts = {.least = 0, .most = 65535};

// The body comes from a provider, because the library compresses all other bodies: by Brotli at its slowest, a second for a
// page that never leaves this machine.
void answer(httplib::Response& response, int status, std::string text, const char* type) {
  response.status = status;
  const auto body = std::make_shared<const std::string>(std::move(text));
  response.set_content_provider(body->size(), type,
                                [body](std::size_t at, std::size_t length, httplib::DataSink& sink) {
                                  return sink.write(body->data() + at, length);
                                });
}

ExitCode serve(const ServeArguments& arguments) {
  study::LivePage page(arguments.source,
                       arguments.zones.empty() ? study::ZonePlaces() : study::read_zone_places(arguments.zones));
  httplib::Server server;
  // An open connection keeps a thread, and browsers open some before they have a request. So there are several threads, and
  // each waits for a request no longer than a second.
  server.new_task_queue = [] { return new httplib::ThreadPool(4); };
  server.set_read_timeout(1);
  server.set_keep_alive_timeout(1);
  server.set_tcp_nodelay(true);
  server.set_payload_max_length(0);
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"X-Frame-Options", "DENY"}});
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    using Handled = httplib::Server::HandlerResponse;
    if (!study::is_own_host(request.get_header_value("Host"), arguments.host)) {
      answer(response, 403, "This server answers under the name of its own machine alone.\n", "text/plain");
      return Handled::Handled;
    }
    if (request.method != "GET" && request.method != "HEAD") {
      answer(response, 405, "This server only reads.\n", "text/plain");
      return Handled::Handled;
    }
    return Handled::Unhandled;
  });
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, const std::exception_ptr& failure) {
        try {
          std::rethrow_exception(failure);
        } catch (const std::exception& error) {
          answer(response, 500, std::string(error.what()) + "\n", "text/plain; charset=utf-8");
        }
      });
  server.Get("/", [&](const httplib::Request&, httplib::Response& response) {
    answer(response, 200, page.html(), "text/html; charset=utf-8");
  });
  server.Get("/version", [&](const httplib::Request&, httplib::Response& response) {
    answer(response, 200, page.version(), "text/plain");
  });
  const int port = arguments.port == 0                                   ? server.bind_to_any_port(arguments.host)
                   : server.bind_to_port(arguments.host, arguments.port) ? arguments.port
                                                                         : -1;
  if (port < 0) {
    throw BadInput(fmt::format("--port {}: {} cannot be listened on there; --port 0 takes a free one", arguments.port,
                               arguments.host));
  }
  tell(fmt::format("http://{}:{}/ shows {}; Ctrl-C ends it", arguments.host, port, arguments.source));
  if (!server.listen_after_bind()) throw InternalFailure("the server ended by itself");
  return ExitCode::done;
}

}  // namespace

void add_serve_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App& command =
      *program.add_subcommand("serve", "A live page about a sweep or a folder of runs, on this machine");
  command.footer(kServeExamples);
  command.add_option("--store", arguments->source, "Store of a sweep, or a folder of runs")
      ->type_name("PATH")
      ->required();
  command.add_option("--host", arguments->host, "Address to listen on")->type_name("ADDRESS")->capture_default_str();
  add_number(command, "--port", arguments->port, kPorts, "Port; 0 takes a free one");
  add_zone_places(command, arguments->zones);
  command.callback([arguments, &chosen] { chosen = [arguments] { return serve(*arguments); }; });
}

}  // namespace softradial::program
