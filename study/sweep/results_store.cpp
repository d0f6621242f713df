#include "sweep/results_store.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "files/errors.hpp"
#include "files/gzip.hpp"
#include "files/json_text.hpp"
#include "files/sha256.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

constexpr std::int64_t kApplicationId = 0x53525354;  // "SRST", in the header of the file

// docs/sweeps.md explains the tables.
constexpr const char* kFirstTables = R"(
CREATE TABLE session (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT NOT NULL, machine TEXT NOT NULL, started TEXT NOT NULL);
CREATE TABLE problem (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, task TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE configuration (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, problem INTEGER NOT NULL REFERENCES problem, method TEXT NOT NULL,
  setting TEXT NOT NULL, parameters TEXT NOT NULL, config TEXT NOT NULL);
CREATE TABLE trial (
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL REFERENCES configuration, seed INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('finished', 'failed')), reason TEXT NOT NULL, attempts INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES session, started TEXT NOT NULL, seconds REAL NOT NULL, first_epoch INTEGER NOT NULL,
  epochs INTEGER NOT NULL, best_epoch INTEGER NOT NULL, end TEXT NOT NULL, selection REAL, violation REAL,
  UNIQUE (configuration, seed));
CREATE TABLE metric (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, split TEXT NOT NULL, name TEXT NOT NULL, value REAL,
  PRIMARY KEY (trial, split, name)) WITHOUT ROWID;
CREATE TABLE epoch (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, epoch INTEGER NOT NULL, loss REAL, validation REAL,
  PRIMARY KEY (trial, epoch)) WITHOUT ROWID;
CREATE TABLE candidate_group (
  id INTEGER PRIMARY KEY, sweep TEXT NOT NULL, setting TEXT NOT NULL, method TEXT NOT NULL, first_seed INTEGER NOT NULL,
  seeds INTEGER NOT NULL, UNIQUE (sweep, setting, method));
CREATE TABLE candidate (
  candidate_group INTEGER NOT NULL REFERENCES candidate_group ON DELETE CASCADE, position INTEGER NOT NULL,
  configuration INTEGER NOT NULL REFERENCES configuration, PRIMARY KEY (candidate_group, position)) WITHOUT ROWID;
)";
constexpr const char* kFilesOfTrials = R"(
CREATE TABLE trial_file (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, name TEXT NOT NULL, size INTEGER NOT NULL,
  sha256 TEXT NOT NULL, gzip BLOB NOT NULL, PRIMARY KEY (trial, name));
ALTER TABLE candidate_group ADD COLUMN decisions TEXT NOT NULL DEFAULT 'chosen'
  CHECK (decisions IN ('none', 'chosen', 'all'));
CREATE INDEX candidate_of ON candidate (configuration);
)";
// Each change of the tables is a new version, reached by a step from the version before. A new store takes all steps.
constexpr std::array kSchemaSteps = {kFirstTables, kFilesOfTrials};
static_assert(kSchemaSteps.size() == ResultsStore::kSchema);

// Whether the files of the trial t are deleted. A group decides about the trials of its candidates: it keeps those of the
// candidate that best_candidate finds for now, or all. Files are deleted if their configuration has lost in a group and no
// group keeps them. A configuration that has not competed yet, because a merge brought its other seeds first, has not lost. So
// the kept files depend only on the trials in the store, not on the order in which they came.
constexpr const char* kGivesUpFiles = R"(
  EXISTS (SELECT 1 FROM candidate k JOIN candidate_group g ON g.id = k.candidate_group
    JOIN trial own ON own.configuration = k.configuration AND own.seed = g.first_seed AND own.status = 'finished'
    WHERE k.configuration = t.configuration AND g.decisions = 'chosen')
  AND NOT EXISTS (SELECT 1 FROM candidate k JOIN candidate_group g ON g.id = k.candidate_group
    WHERE k.configuration = t.configuration AND (g.decisions = 'all'
      OR g.decisions = 'chosen' AND t.seed - g.first_seed BETWEEN 0 AND g.seeds - 1
        AND t.configuration = (SELECT b.configuration FROM candidate b JOIN trial bt
          ON bt.configuration = b.configuration AND bt.seed = g.first_seed
          WHERE b.candidate_group = g.id AND bt.status = 'finished' AND bt.selection IS NOT NULL
          ORDER BY bt.selection DESC, b.position LIMIT 1))))";

// Deletes unwanted files of all trials.
void forget_unwanted_files(SqliteFile& file) {
  file.run(
      std::string("DELETE FROM trial_file WHERE trial IN (SELECT t.id FROM (SELECT DISTINCT trial FROM trial_file) f"
                  " JOIN trial t ON t.id = f.trial WHERE ") +
      kGivesUpFiles + ")");
}

// The metric for choosing, by its name in the table of metrics.
constexpr const char* kMainMetric = "CASE p.task WHEN 'portfolio' THEN 'sharpe' ELSE 'served_rate' END";

constexpr const char* kJoined =
    " FROM trial t JOIN configuration c ON c.id = t.configuration JOIN problem p ON p.id = c.problem"
    " JOIN session s ON s.id = t.session";
// To be appended to kJoined.
constexpr const char* kFiltered =
    " WHERE (?1 = '' OR c.method = ?1) AND (?2 = '' OR t.status = ?2) AND (?3 IS NULL OR t.id = ?3) ORDER BY t.id";

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }

// Parses a text of the store as JSON. It may be damaged: SQLite does not notice a byte that the disk has changed.
json parsed(const std::string& text, const std::filesystem::path& file) {
  json value = parse_json_text(text);
  if (!value.is_object()) throw damaged_store(file);
  return value;
}

const json& field(const json& object, const char* name, const std::filesystem::path& file) {
  const auto found = object.find(name);
  if (found == object.end()) throw damaged_store(file);
  return *found;
}

// Stores may be merged, so a session needs a key that no other session has.
std::string random_key() {
  std::random_device device;
  std::string key;
  for (int k = 0; k < 4; ++k) key += std::to_string(device()) + (k < 3 ? "-" : "");
  return key;
}

// The version of the schema, after a check that it is known.
std::int64_t checked_schema(SqliteFile& file) {
  if (file.number("PRAGMA application_id") != kApplicationId) {
    throw DataError(file.path().string() + ": is no store of results");
  }
  const std::int64_t version = file.number("PRAGMA user_version");
  if (version < 1 || version > ResultsStore::kSchema) {
    throw DataError(file.path().string() + ": has the schema " + std::to_string(version) +
                    ", and this program knows 1 to " + std::to_string(ResultsStore::kSchema));
  }
  return version;
}

// Takes the steps from version `from` on; 0 is an empty file.
void take_schema_steps(SqliteFile& file, std::int64_t from) {
  for (std::size_t k = static_cast<std::size_t>(from); k < kSchemaSteps.size(); ++k) file.run(kSchemaSteps[k]);
  file.run("PRAGMA application_id = " + std::to_string(kApplicationId));
  file.run("PRAGMA user_version = " + std::to_string(ResultsStore::kSchema));
}

// A store may come from anywhere, and its files are written into a folder of the user: only plain names are safe.
bool is_plain_name(const std::string& name) {
  return !name.empty() && !name.starts_with('.') &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos;
}

// The first schema version with files, and with the groups' choice of which ones to keep.
constexpr std::int64_t kSchemaOfFiles = 2;
const char* decisions_column(std::int64_t schema) { return schema >= kSchemaOfFiles ? "g.decisions" : "'chosen'"; }

// The second part of a merge: takes the files of added trials, and of equal trials that have no files here.
void take_files(SqliteFile& file) {
  file.run(std::string(R"(
    CREATE TEMP TABLE taken AS SELECT theirs.id, t.id AS ours FROM theirs JOIN main.trial t ON t.id = theirs.ours
      JOIN other.trial o ON o.id = theirs.id
      WHERE t.status = 'finished' AND o.status = 'finished' AND t.selection IS o.selection
      AND NOT EXISTS (SELECT 1 FROM main.trial_file f WHERE f.trial = t.id)
      AND EXISTS (SELECT 1 FROM other.trial_file f WHERE f.trial = o.id) AND NOT ()") +
           kGivesUpFiles + R"();
    INSERT INTO main.trial_file (trial, name, size, sha256, gzip)
      SELECT taken.ours, f.name, f.size, f.sha256, f.gzip FROM taken JOIN other.trial_file f ON f.trial = taken.id;
    DROP TABLE taken;)");
}

// The columns of a whole trial, for visit_trials.
constexpr const char* kWholeTrial =
    "SELECT t.id, p.task, c.method, c.setting, c.parameters, t.seed, t.status, t.reason, t.attempts, t.end,"
    " t.epochs, t.first_epoch, t.best_epoch, t.seconds, t.started, t.selection, t.violation, c.key, c.config,"
    " p.facts, s.version, s.machine";

// Visits the trials of a query that begins with kWholeTrial. `row` tells whether the query has a first row.
void visit_trials(SqliteFile& file, const std::filesystem::path& path, SqliteStatement& query, bool row,
                  bool with_epochs, const std::function<void(const json&)>& visit) {
  SqliteStatement metrics = file.prepare("SELECT split, name, value FROM metric WHERE trial = ?1");
  SqliteStatement epochs = file.prepare("SELECT loss, validation FROM epoch WHERE trial = ?1 ORDER BY epoch");
  for (; row; row = query.next()) {
    const std::int64_t id = query.integer(0);
    const json facts = parsed(query.text(19), path);
    json trial = {{"id", id},
                  {"task", query.text(1)},
                  {"method", query.text(2)},
                  {"setting", query.text(3)},
                  {"parameters", query.text(4)},
                  {"seed", query.integer(5)},
                  {"status", query.text(6)},
                  {"reason", query.text(7)},
                  {"attempts", query.integer(8)},
                  {"end", query.text(9)},
                  {"epochs", query.integer(10)},
                  {"first_epoch", query.integer(11)},
                  {"best_epoch", query.integer(12)},
                  {"seconds", query.number(13)},
                  {"started", query.text(14)},
                  {"selection", number_or_null(query.number(15))},
                  {"violation", number_or_null(query.number(16))},
                  {"configuration", query.text(17)},
                  {"config", parsed(query.text(18), path)},
                  {"data", field(facts, "data", path)},
                  {"set", field(facts, "set", path)},
                  {"names", field(facts, "names", path)},
                  {"version", query.text(20)},
                  {"machine", parsed(query.text(21), path)},
                  {"validation", json::object()},
                  {"test", json::object()}};
    for (bool found = metrics.run(id); found; found = metrics.next()) {
      json& split = trial[metrics.text(0)];
      if (split.is_null()) split = json::object();
      if (!split.is_object()) throw damaged_store(path);
      split[metrics.text(1)] = number_or_null(metrics.number(2));
    }
    if (with_epochs) {
      trial["history"] = json::array();
      for (bool found = epochs.run(id); found; found = epochs.next()) {
        trial["history"].push_back(
            {{"loss", number_or_null(epochs.number(0))}, {"validation", number_or_null(epochs.number(1))}});
      }
    }
    visit(trial);
  }
}

}  // namespace

DataError damaged_store(const std::filesystem::path& file) {
  return DataError(file.string() + ": is damaged: what it says of a trial cannot be read");
}

std::string word_of(KeptDecisions kept) {
  return std::string(std::ranges::find(kKeptDecisions, kept, &decltype(kKeptDecisions)::value_type::second)->first);
}

std::optional<KeptDecisions> kept_decisions(std::string_view word) {
  const auto* const found = std::ranges::find(kKeptDecisions, word, &decltype(kKeptDecisions)::value_type::first);
  return found == kKeptDecisions.end() ? std::nullopt : std::optional(found->second);
}

ResultsStore::ResultsStore(const std::filesystem::path& file, SqliteFile::Access access) : file_(file, access) {
  if (access == SqliteFile::Access::write) {
    SqliteTransaction transaction(file_);
    const bool empty = file_.number("SELECT count(*) FROM sqlite_master") == 0;
    const std::int64_t now = empty ? 0 : checked_schema(file_);
    if (now < kSchema) {
      take_schema_steps(file_, now);
      transaction.commit();
    }
  }
  schema_ = checked_schema(file_);
}

bool ResultsStore::has_trials() { return file_.number("SELECT EXISTS (SELECT 1 FROM trial)") != 0; }

void ResultsStore::begin_session(const json& facts) {
  file_.prepare("INSERT INTO session (key, version, machine, started) VALUES (?1, ?2, ?3, ?4)")
      .run(random_key(), facts.at("version").get<std::string>(), facts.at("machine").dump(),
           facts.at("started").get<std::string>());
  session_ = file_.last_id();
}

std::int64_t ResultsStore::configuration_id(const Configuration& configuration) {
  SqliteStatement find = file_.prepare("SELECT id FROM configuration WHERE key = ?1");
  if (find.run(configuration.key)) return find.integer(0);
  const Problem& problem = *configuration.problem;
  file_.prepare("INSERT OR IGNORE INTO problem (key, task, facts) VALUES (?1, ?2, ?3)")
      .run(problem.key, problem.facts.at("task").get<std::string>(), problem.facts.dump());
  file_
      .prepare(
          "INSERT INTO configuration (key, problem, method, setting, parameters, config)"
          " VALUES (?1, (SELECT id FROM problem WHERE key = ?2), ?3, ?4, ?5, ?6)")
      .run(configuration.key, problem.key, configuration.method(), configuration.setting, configuration.parameters,
           configuration.config.dump());
  return file_.last_id();
}

void ResultsStore::add_groups(const std::vector<StoredGroup>& groups, std::span<const Configuration> configurations) {
  SqliteTransaction transaction(file_);
  for (const Configuration& each : configurations) static_cast<void>(configuration_id(each));
  SqliteStatement forget =
      file_.prepare("DELETE FROM candidate_group WHERE sweep = ?1 AND setting = ?2 AND method = ?3");
  SqliteStatement add = file_.prepare(
      "INSERT INTO candidate_group (sweep, setting, method, first_seed, seeds, decisions)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  SqliteStatement add_candidate = file_.prepare(
      "INSERT INTO candidate (candidate_group, position, configuration)"
      " VALUES (?1, ?2, (SELECT id FROM configuration WHERE key = ?3))");
  for (const StoredGroup& group : groups) {
    forget.run(group.sweep, group.setting, group.method);
    add.run(group.sweep, group.setting, group.method, group.first_seed, group.seeds, word_of(group.decisions));
    const std::int64_t id = file_.last_id();
    for (std::size_t k = 0; k < group.candidates.size(); ++k) {
      add_candidate.run(id, static_cast<std::int64_t>(k), group.candidates[k]);
    }
  }
  forget_unwanted_files(file_);
  transaction.commit();
}

void ResultsStore::save(std::span<const FinishedTrial> trials) {
  SqliteTransaction transaction(file_);
  // Only a failed trial is replaced by another attempt; its id stays.
  SqliteStatement add = file_.prepare(
      "INSERT INTO trial (configuration, seed, status, reason, attempts, session, started, seconds, first_epoch, "
      "epochs,"
      " best_epoch, end, selection, violation) VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
      " ON CONFLICT (configuration, seed) DO UPDATE SET status = excluded.status, reason = excluded.reason,"
      " attempts = attempts + 1, session = excluded.session, started = excluded.started, seconds = excluded.seconds,"
      " first_epoch = excluded.first_epoch, epochs = excluded.epochs, best_epoch = excluded.best_epoch,"
      " end = excluded.end, selection = excluded.selection, violation = excluded.violation WHERE status = 'failed'"
      " RETURNING id");
  SqliteStatement forget_metrics = file_.prepare("DELETE FROM metric WHERE trial = ?1");
  SqliteStatement forget_epochs = file_.prepare("DELETE FROM epoch WHERE trial = ?1");
  SqliteStatement add_metric = file_.prepare("INSERT INTO metric (trial, split, name, value) VALUES (?1, ?2, ?3, ?4)");
  SqliteStatement add_epoch =
      file_.prepare("INSERT INTO epoch (trial, epoch, loss, validation) VALUES (?1, ?2, ?3, ?4)");
  SqliteStatement gives_up_files =
      file_.prepare(std::string("SELECT ") + kGivesUpFiles + " FROM trial t WHERE t.id = ?1");
  SqliteStatement add_file =
      file_.prepare("INSERT INTO trial_file (trial, name, size, sha256, gzip) VALUES (?1, ?2, ?3, ?4, ?5)");
  std::set<std::int64_t> with_files;  // configurations
  for (const FinishedTrial& trial : trials) {
    const TrialOutcome& o = trial.outcome;
    const std::int64_t configuration = configuration_id(trial.configuration);
    if (!add.run(configuration, trial.seed, o.failed() ? "failed" : "finished", o.failure, session_, o.started,
                 o.seconds, o.first_epoch, o.epochs, o.best_epoch, o.end, o.selection, o.violation)) {
      throw DataError(path().string() + ": configuration " + trial.configuration.key + ", seed " +
                      std::to_string(trial.seed) + ": is there already");
    }
    const std::int64_t id = add.integer(0);
    while (add.next()) {
    }
    forget_metrics.run(id);
    forget_epochs.run(id);
    for (const MetricValue& metric : o.metrics) add_metric.run(id, metric.split, metric.name, metric.value);
    for (std::size_t k = 0; k < o.history.size(); ++k) {
      add_epoch.run(id, static_cast<std::int64_t>(k + 1), o.history[k].loss, o.history[k].validation);
    }
    if (o.failed() || o.files.empty()) continue;
    gives_up_files.run(id);
    if (gives_up_files.integer(0) != 0) continue;
    for (const TrialFile& file : o.files) {
      add_file.run(id, file.name, file.size, file.sha256, SqliteStatement::Blob{file.gzip});
    }
    with_files.insert(configuration);
  }
  // Deletes the files of candidates that are no longer the best. A new best candidate brings its own files.
  SqliteStatement forget_others = file_.prepare(
      std::string(
          "DELETE FROM trial_file WHERE trial IN (SELECT t.id FROM candidate own JOIN candidate other"
          " ON other.candidate_group = own.candidate_group JOIN trial t ON t.configuration = other.configuration"
          " WHERE own.configuration = ?1 AND EXISTS (SELECT 1 FROM trial_file f WHERE f.trial = t.id) AND ") +
      kGivesUpFiles + ")");
  for (const std::int64_t configuration : with_files) forget_others.run(configuration);
  transaction.commit();
}

TrialResults ResultsStore::results() {
  TrialResults out;
  SqliteStatement query = file_.prepare(
      "SELECT c.key, t.seed, t.status = 'failed', t.selection FROM trial t JOIN configuration c"
      " ON c.id = t.configuration");
  for (bool row = query.run(); row; row = query.next()) {
    out[{query.text(0), static_cast<std::uint64_t>(query.integer(1))}] = {query.integer(2) != 0, query.number(3)};
  }
  return out;
}

void ResultsStore::each_duration(const std::function<void(const Configuration&, std::int64_t, double)>& visit) {
  std::map<std::int64_t, std::shared_ptr<const Problem>> problems;
  SqliteStatement query = file_.prepare(
      "SELECT c.key, c.config, c.setting, c.parameters, p.id, p.key, p.facts, sum(t.epochs - t.first_epoch),"
      " sum(t.seconds) FROM trial t JOIN configuration c ON c.id = t.configuration JOIN problem p ON p.id = c.problem"
      " WHERE t.status = 'finished' GROUP BY c.id");
  for (bool row = query.run(); row; row = query.next()) {
    std::shared_ptr<const Problem>& problem = problems[query.integer(4)];
    if (!problem) {
      problem = std::make_shared<const Problem>(Problem{.key = query.text(5), .facts = parsed(query.text(6), path())});
    }
    visit({.key = query.text(0),
           .problem = problem,
           .config = parsed(query.text(1), path()),
           .setting = query.text(2),
           .parameters = query.text(3)},
          query.integer(7), query.number(8));
  }
}

std::vector<StoredGroup> ResultsStore::groups() {
  std::vector<StoredGroup> out;
  SqliteStatement query =
      file_.prepare(std::string("SELECT g.id, g.sweep, g.setting, g.method, g.first_seed, g.seeds, c.key, ") +
                    decisions_column(schema_) +
                    " FROM candidate_group g JOIN candidate k ON k.candidate_group = g.id"
                    " JOIN configuration c ON c.id = k.configuration ORDER BY g.id, k.position");
  std::optional<std::int64_t> last;
  for (bool row = query.run(); row; row = query.next()) {
    if (query.integer(0) != last) {
      last = query.integer(0);
      out.push_back({.sweep = query.text(1),
                     .setting = query.text(2),
                     .method = query.text(3),
                     .first_seed = static_cast<std::uint64_t>(query.integer(4)),
                     .seeds = static_cast<int>(query.integer(5)),
                     .decisions = kept_decisions(query.text(7)).value_or(KeptDecisions::chosen),
                     .candidates = {}});
    }
    out.back().candidates.push_back(query.text(6));
  }
  return out;
}

void ResultsStore::list(const TrialFilter& filter, const std::function<void(const TrialLine&)>& visit) {
  SqliteStatement query = file_.prepare(
      std::string(
          "SELECT t.id, p.task, c.method, c.setting, c.parameters, t.seed, t.status, t.reason, t.epochs, t.seconds,"
          " t.selection, (SELECT m.value FROM metric m WHERE m.trial = t.id AND m.split = 'test' AND m.name = ") +
      kMainMetric + ")" + kJoined + kFiltered);
  for (bool row = query.run(filter.method, filter.status, filter.id); row; row = query.next()) {
    visit({.id = query.integer(0),
           .task = query.text(1),
           .method = query.text(2),
           .setting = query.text(3),
           .parameters = query.text(4),
           .seed = static_cast<std::uint64_t>(query.integer(5)),
           .status = query.text(6),
           .reason = query.text(7),
           .epochs = query.integer(8),
           .seconds = query.number(9),
           .selection = query.number(10),
           .test = query.number(11)});
  }
}

void ResultsStore::each(const TrialFilter& filter, bool with_epochs, const std::function<void(const json&)>& visit) {
  SqliteStatement query = file_.prepare(std::string(kWholeTrial) + kJoined + kFiltered);
  const bool row = query.run(filter.method, filter.status, filter.id);
  visit_trials(file_, path(), query, row, with_epochs, visit);
}

std::vector<json> ResultsStore::trials_of(const std::string& configuration) {
  std::vector<json> out;
  // Uses the index of configurations: a filter would scan all trials.
  SqliteStatement query =
      file_.prepare(std::string(kWholeTrial) + kJoined + " WHERE c.key = ?1 AND t.status = 'finished' ORDER BY t.seed");
  const bool row = query.run(configuration);
  visit_trials(file_, path(), query, row, false, [&](const json& trial) { out.push_back(trial); });
  return out;
}

// Calls visit with the name, size and checksum of each file, and its compressed bytes.
void ResultsStore::visit_files(std::int64_t trial, const std::function<void(const SqliteStatement&)>& visit) {
  if (schema_ < kSchemaOfFiles) return;
  SqliteStatement query =
      file_.prepare("SELECT name, size, sha256, gzip FROM trial_file WHERE trial = ?1 ORDER BY name");
  for (bool row = query.run(trial); row; row = query.next()) visit(query);
}

std::vector<TrialFile> ResultsStore::files_of(std::int64_t trial) {
  std::vector<TrialFile> out;
  visit_files(trial, [&](const SqliteStatement& row) {
    out.push_back({.name = row.text(0), .size = row.integer(1), .sha256 = row.text(2), .gzip = {}});
  });
  return out;
}

std::vector<WrittenFile> ResultsStore::read_files(std::int64_t trial) {
  std::vector<WrittenFile> out;
  visit_files(trial, [&](const SqliteStatement& row) {
    WrittenFile file{.name = row.text(0), .text = {}};
    const std::int64_t size = row.integer(1);
    const DataError damaged(path().string() + ": is damaged: a file of trial " + std::to_string(trial) +
                            " cannot be read");
    if (!is_plain_name(file.name) || size < 0) throw damaged;
    try {
      file.text = gunzipped(row.blob(3), static_cast<std::size_t>(size));
    } catch (const DataError&) {
      throw damaged;
    }
    if (sha256_of(file.text) != row.text(2)) throw damaged;
    out.push_back(std::move(file));
  });
  return out;
}

MergeCount ResultsStore::merge(const std::filesystem::path& other) {
  // The store's own check says what is wrong with the file; for an attached file the error may come too late.
  const std::int64_t schema = ResultsStore(other, SqliteFile::Access::read).schema_;
  if (std::filesystem::equivalent(other, path())) throw DataError(other.string() + ": is the store itself");
  file_.prepare("ATTACH ?1 AS other").run(other.string());
  MergeCount count;
  {
    SqliteTransaction transaction(file_);
    file_.run(R"(
      CREATE TEMP TABLE theirs (id INTEGER PRIMARY KEY, configuration TEXT, seed INTEGER, ours INTEGER, keep INTEGER);
      INSERT INTO theirs SELECT t.id, c.key, t.seed, o.id,
          o.id IS NOT NULL AND (o.status = 'finished' OR t.status = 'failed')
        FROM other.trial t JOIN other.configuration c ON c.id = t.configuration
        LEFT JOIN main.configuration oc ON oc.key = c.key
        LEFT JOIN main.trial o ON o.configuration = oc.id AND o.seed = t.seed;
      INSERT OR IGNORE INTO main.session (key, version, machine, started)
        SELECT key, version, machine, started FROM other.session;
      INSERT OR IGNORE INTO main.problem (key, task, facts) SELECT key, task, facts FROM other.problem;
      INSERT OR IGNORE INTO main.configuration (key, problem, method, setting, parameters, config)
        SELECT c.key, (SELECT id FROM main.problem WHERE key = p.key), c.method, c.setting, c.parameters, c.config
        FROM other.configuration c JOIN other.problem p ON p.id = c.problem;)");
    count.same = file_.number(
        "SELECT count(*) FROM theirs JOIN main.trial o ON o.id = ours JOIN other.trial t ON t.id = theirs.id WHERE keep"
        " AND o.status = t.status AND o.selection IS t.selection");
    count.different = file_.number("SELECT count(*) FROM theirs WHERE keep") - count.same;
    count.added = file_.number("SELECT count(*) FROM theirs WHERE NOT keep");
    file_.run(R"(
      DELETE FROM main.trial WHERE id IN (SELECT ours FROM theirs WHERE NOT keep AND ours IS NOT NULL);
      INSERT INTO main.trial (configuration, seed, status, reason, attempts, session, started, seconds, first_epoch,
          epochs, best_epoch, end, selection, violation)
        SELECT c.id, t.seed, t.status, t.reason, t.attempts, s.id, t.started, t.seconds, t.first_epoch, t.epochs,
          t.best_epoch, t.end, t.selection, t.violation
        FROM theirs JOIN other.trial t ON t.id = theirs.id JOIN main.configuration c ON c.key = theirs.configuration
        JOIN other.session os ON os.id = t.session JOIN main.session s ON s.key = os.key
        WHERE NOT keep ORDER BY theirs.id;
      UPDATE theirs SET ours = (SELECT t.id FROM main.trial t JOIN main.configuration c ON c.id = t.configuration
        WHERE c.key = theirs.configuration AND t.seed = theirs.seed) WHERE NOT keep;
      INSERT INTO main.metric SELECT ours, m.split, m.name, m.value FROM theirs JOIN other.metric m
        ON m.trial = theirs.id WHERE NOT keep;
      INSERT INTO main.epoch SELECT ours, e.epoch, e.loss, e.validation FROM theirs JOIN other.epoch e
        ON e.trial = theirs.id WHERE NOT keep;
      CREATE TEMP TABLE new_groups AS SELECT g.id FROM other.candidate_group g WHERE NOT EXISTS (SELECT 1
        FROM main.candidate_group o WHERE o.sweep = g.sweep AND o.setting = g.setting AND o.method = g.method);
      INSERT INTO main.candidate_group (sweep, setting, method, first_seed, seeds, decisions)
        SELECT g.sweep, g.setting, g.method, g.first_seed, g.seeds, )" +
              std::string(decisions_column(schema)) +
              R"( FROM other.candidate_group g WHERE g.id IN new_groups ORDER BY g.id;
      INSERT INTO main.candidate (candidate_group, position, configuration)
        SELECT o.id, k.position, c.id FROM other.candidate k JOIN other.candidate_group g ON g.id = k.candidate_group
        JOIN main.candidate_group o ON o.sweep = g.sweep AND o.setting = g.setting AND o.method = g.method
        JOIN other.configuration oc ON oc.id = k.configuration JOIN main.configuration c ON c.key = oc.key
        WHERE g.id IN new_groups;
      DROP TABLE new_groups;)");
    if (schema >= kSchemaOfFiles) take_files(file_);
    forget_unwanted_files(file_);
    file_.run("DROP TABLE theirs");
    transaction.commit();
  }
  file_.run("DETACH other");
  return count;
}

}  // namespace softradial::study
