#include "described/description.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plain_tensors.hpp"
#include "saved_objects.hpp"
#include "softradial/errors.hpp"

namespace softradial::ops {
namespace {

using Json = nlohmann::json;
using Digest = std::uint64_t;

// FNV-1a hash. Tells apart descriptions that were copied into the same memory, and detects damaged ones.
Digest digest_of(std::string_view text) {
  Digest digest = 0xcbf29ce484222325;
  for (const char c : text) {
    digest ^= static_cast<unsigned char>(c);
    digest *= 0x100000001b3;
  }
  return digest;
}

at::Tensor to_bytes(const std::string& text) {
  const Digest digest = digest_of(text);
  at::Tensor bytes = at::empty({static_cast<int64_t>(sizeof(digest) + text.size())}, at::kByte);
  std::memcpy(bytes.data_ptr<uint8_t>(), &digest, sizeof(digest));
  std::memcpy(bytes.data_ptr<uint8_t>() + sizeof(digest), text.data(), text.size());
  return bytes;
}

void check_bytes(const at::Tensor& bytes, const char* name) {
  if (bytes.scalar_type() == at::kByte && bytes.dim() == 1 && bytes.is_contiguous() &&
      bytes.numel() > static_cast<int64_t>(sizeof(Digest)) && bytes.device().is_cpu()) {
    return;
  }
  throw InvalidOption(std::string(name) + ": expected a description, bytes (n) on the CPU, got " +
                      c10::toString(bytes.scalar_type()) + " of " + std::to_string(bytes.dim()) + " dimensions on " +
                      bytes.device().str());
}

Digest stated_digest(const at::Tensor& bytes) {
  Digest digest = 0;
  std::memcpy(&digest, bytes.data_ptr<uint8_t>(), sizeof(digest));
  return digest;
}

Json parsed(const at::Tensor& bytes, const char* name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data_ptr<uint8_t>()) + sizeof(Digest),
                              static_cast<std::size_t>(bytes.numel()) - sizeof(Digest));
  if (digest_of(text) != stated_digest(bytes)) throw InvalidOption(std::string(name) + ": the description is damaged");
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(name)) {
    throw InvalidOption(std::string(name) + ": this is the description of something else");
  }
  return json.at(name);
}

std::string to_text(const MapPtr& map) {
  const auto [set, words, numbers] = save_map(map);
  return Json{{"map", {{"set", Json::parse(set)}, {"words", words}, {"numbers", numbers}}}}.dump();
}
std::string to_text(const LayerObjectPtr& layer) {
  const auto [set, words, options, anchor] = save_layer(layer);
  Json named = Json::object();
  for (const auto& option : options) named[option.key()] = option.value();
  return Json{{"layer", {{"set", Json::parse(set)}, {"words", words}, {"options", named}, {"anchor", anchor}}}}.dump();
}

template <class Object>
struct Kind;
template <>
struct Kind<MapObject> {
  static constexpr const char* kName = "map";
  static MapPtr build(const Json& json) {
    return load_map(
        {json.at("set").dump(), json.at("words").get<std::vector<std::string>>(), json.at("numbers").get<Numbers>()});
  }
};
template <>
struct Kind<LayerObject> {
  static constexpr const char* kName = "layer";
  static LayerObjectPtr build(const Json& json) {
    LayerOptions options;
    for (const auto& [name, value] : json.at("options").items()) options.insert(name, value.get<double>());
    return load_layer({json.at("set").dump(), json.at("words").get<std::vector<std::string>>(), options,
                       json.at("anchor").get<Numbers>()});
  }
};

// Finds the object of a description by the memory that holds its bytes. A weak reference tells whether it is still the same
// memory: it keeps the address of a freed storage from being reused. Entries of freed storages are removed when the next
// description is read or made.
template <class Object>
class Known {
 public:
  using Pointer = c10::intrusive_ptr<Object>;

  // One table for the process: descriptions are arguments of ops, which have no other place to look. It changes no result.
  static Known& all() {
    static Known known;
    return known;
  }

  void note(const at::Tensor& bytes, const Pointer& object) {
    const std::lock_guard lock(mutex_);
    insert(bytes, object, {});
  }

  Pointer find(const at::Tensor& bytes) {
    check_bytes(bytes, Kind<Object>::kName);
    {
      const std::lock_guard lock(mutex_);
      const auto found = entries_.find(bytes.data_ptr());
      if (found != entries_.end() && found->second.describes(bytes)) {
        if (Pointer object = found->second.object.lock()) return object;
      }
    }
    Pointer built = Kind<Object>::build(parsed(bytes, Kind<Object>::kName));
    const std::lock_guard lock(mutex_);
    insert(bytes, built, built);
    return built;
  }

 private:
  struct Entry {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    Digest digest;
    // An object made by a layer belongs to the layer; one that was built from the text is kept here.
    c10::weak_intrusive_ptr<Object> object;
    Pointer owned;

    [[nodiscard]] bool describes(const at::Tensor& bytes) const {
      return storage == bytes.storage().getWeakStorageImpl() && digest == stated_digest(bytes);
    }
  };

  void insert(const at::Tensor& bytes, const Pointer& object, Pointer owned) {
    std::erase_if(entries_, [](const auto& entry) { return entry.second.storage.expired(); });
    entries_.insert_or_assign(bytes.data_ptr(), Entry{bytes.storage().getWeakStorageImpl(), stated_digest(bytes),
                                                      c10::weak_intrusive_ptr<Object>(object), std::move(owned)});
  }

  std::mutex mutex_;
  std::unordered_map<const void*, Entry> entries_;
};

template <class Object>
at::Tensor described(const c10::intrusive_ptr<Object>& object) {
  const PlainTensors plain;
  at::Tensor bytes = to_bytes(to_text(object));
  Known<Object>::all().note(bytes, object);
  return bytes;
}

}  // namespace

at::Tensor describe(const MapPtr& map) { return described(map); }
at::Tensor describe(const LayerObjectPtr& layer) { return described(layer); }
MapPtr map_of(const at::Tensor& description) { return Known<MapObject>::all().find(description); }
LayerObjectPtr layer_of(const at::Tensor& description) { return Known<LayerObject>::all().find(description); }

}  // namespace softradial::ops
