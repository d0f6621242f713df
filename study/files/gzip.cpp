#include "files/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

#include "files/errors.hpp"

namespace softradial::study {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header

// zlib does not change its input, though its interface does not say so.
Bytef* input_of(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }
Bytef* output_at(std::string& out, std::size_t place) { return reinterpret_cast<Bytef*>(out.data() + place); }

// Ends a stream whatever happens while it is used.
struct EndInflate {
  void operator()(z_stream* stream) const noexcept { inflateEnd(stream); }
};

}  // namespace

std::string gzipped(std::string_view text, int level) {
  constexpr int kMemory = 8;  // zlib's default
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out;
  int state = Z_OK;
  for (std::size_t begin = 0; state == Z_OK;) {
    const std::string_view block = text.substr(begin, kBlock);
    begin += block.size();
    stream.next_in = input_of(block);
    stream.avail_in = static_cast<uInt>(block.size());
    do {
      const std::size_t size = out.size();
      out.resize(size + kBlock);
      stream.next_out = output_at(out, size);
      stream.avail_out = static_cast<uInt>(kBlock);
      state = deflate(&stream, begin == text.size() ? Z_FINISH : Z_NO_FLUSH);
      out.resize(size + kBlock - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return out;
}

std::string gunzipped(std::string_view bytes, std::size_t size) {
  z_stream stream = {};
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, EndInflate> open(&stream);
  std::string out;
  // Leaves room for one byte more than expected, so that a longer text is noticed.
  for (int state = Z_OK; state != Z_STREAM_END;) {
    const std::size_t done = out.size();
    out.resize(std::min(done + kBlock, size + 1));
    stream.next_out = output_at(out, done);
    stream.avail_out = static_cast<uInt>(out.size() - done);
    const uInt room = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    const bool goes_on = state == Z_OK && stream.avail_out < room && out.size() <= size;
    if (state != Z_STREAM_END && !goes_on) throw DataError("the compressed bytes are damaged");
  }
  if (out.size() != size) throw DataError("the compressed bytes are damaged");
  return out;
}

}  // namespace softradial::study
