#include "sweep/worker_messages.hpp"

#include <string>
#include <utility>

#include "files/errors.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

json json_of(const TrialOutcome& o) {
  json out = {{"failure", o.failure},         {"end", o.end},
              {"started", o.started},         {"seconds", o.seconds},
              {"first_epoch", o.first_epoch}, {"epochs", o.epochs},
              {"best_epoch", o.best_epoch},   {"selection", o.selection},
              {"metrics", json::array()},     {"history", json::array()},
              {"files", json::array()}};
  if (o.violation) out["violation"] = *o.violation;
  for (const MetricValue& each : o.metrics) out["metrics"].push_back({each.split, each.name, each.value});
  for (const EpochRecord& each : o.history) out["history"].push_back({each.loss, each.validation});
  for (const TrialFile& each : o.files) {
    out["files"].push_back({each.name, each.size, each.sha256, json::binary({each.gzip.begin(), each.gzip.end()})});
  }
  return out;
}

TrialOutcome outcome_of(const json& in) {
  TrialOutcome out;
  in.at("failure").get_to(out.failure);
  in.at("end").get_to(out.end);
  in.at("started").get_to(out.started);
  in.at("seconds").get_to(out.seconds);
  in.at("first_epoch").get_to(out.first_epoch);
  in.at("epochs").get_to(out.epochs);
  in.at("best_epoch").get_to(out.best_epoch);
  in.at("selection").get_to(out.selection);
  if (in.contains("violation")) out.violation = in["violation"].get<double>();
  for (const json& each : in.at("metrics")) {
    out.metrics.push_back({each.at(0).get<std::string>(), each.at(1).get<std::string>(), each.at(2).get<double>()});
  }
  for (const json& each : in.at("history")) out.history.push_back({each.at(0).get<double>(), each.at(1).get<double>()});
  for (const json& each : in.at("files")) {
    const auto& gzip = each.at(3).get_binary();
    out.files.push_back({.name = each.at(0).get<std::string>(),
                         .size = each.at(1).get<std::int64_t>(),
                         .sha256 = each.at(2).get<std::string>(),
                         .gzip = std::string(gzip.begin(), gzip.end())});
  }
  return out;
}

// Turns exceptions of the JSON library into DataError.
template <class Read>
auto read(std::span<const std::uint8_t> message, const Read& read_json) {
  try {
    return read_json(json::from_cbor(message.begin(), message.end()));
  } catch (const json::exception& error) {
    throw DataError(std::string("a message of another process is not readable: ") + error.what());
  }
}

}  // namespace

Message message_of(int worker, const TrialOrder& order) {
  json out = {{"worker", worker},
              {"config", order.config},
              {"problem", order.problem},
              {"checkpoint", order.checkpoint.string()}};
  if (order.record_from) out["record_from"] = *order.record_from;
  return json::to_cbor(out);
}

Message message_of(const WorkerEvent& event) {
  json out = {{"kind", static_cast<int>(event.kind)}, {"worker", event.worker}, {"epoch", event.epoch}};
  if (event.outcome) out["outcome"] = json_of(*event.outcome);
  return json::to_cbor(out);
}

AddressedOrder order_in(std::span<const std::uint8_t> message) {
  return read(message, [](const json& in) {
    AddressedOrder out{.worker = in.at("worker").get<int>(),
                       .order = {.config = in.at("config"),
                                 .problem = in.at("problem").get<std::string>(),
                                 .checkpoint = in.at("checkpoint").get<std::string>()}};
    if (in.contains("record_from")) out.order.record_from = in["record_from"].get<double>();
    return out;
  });
}

WorkerEvent event_in(std::span<const std::uint8_t> message) {
  return read(message, [](const json& in) {
    WorkerEvent event{.kind = static_cast<WorkerEvent::Kind>(in.at("kind").get<int>()),
                      .worker = in.at("worker").get<int>(),
                      .epoch = in.at("epoch").get<std::int64_t>(),
                      .outcome = {}};
    if (in.contains("outcome")) event.outcome = outcome_of(in["outcome"]);
    return event;
  });
}

}  // namespace softradial::study
