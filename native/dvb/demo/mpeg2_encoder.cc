#include "dvb/demo/mpeg2_encoder.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "dvb/demo/mpeg2_tables.h"

namespace receiverd::dvb::demo {
namespace {

using Block = std::array<float, 64>;

constexpr int kDcAtReset = 128;  // §7.2.1, intra_dc_precision 0

void put(BitWriter& bits, Code code) { bits.put(code.bits, code.length); }

void put_start_code(ByteVector& out, std::uint8_t code) { out.insert(out.end(), {0, 0, 1, code}); }

/// Rows of the 8-point DCT (Annex A), scaled so that two passes give F(u, v).
const std::array<float, 64>& dct_matrix() {
  static const std::array<float, 64> matrix = [] {
    std::array<float, 64> m{};
    for (std::size_t u = 0; u < 8; ++u) {
      const double scale = u == 0 ? std::sqrt(0.125) : 0.5;
      for (std::size_t x = 0; x < 8; ++x) {
        m[u * 8 + x] =
            static_cast<float>(scale * std::cos(static_cast<double>((2 * x + 1) * u) * std::numbers::pi / 16));
      }
    }
    return m;
  }();
  return matrix;
}

/// Separable, straight from the definition: few blocks are coded, and most bytes come from caches.
void forward_dct(Block& block) {
  const std::array<float, 64>& m = dct_matrix();
  Block half;
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t u = 0; u < 8; ++u) {
      float sum = 0;
      for (std::size_t x = 0; x < 8; ++x) sum += m[u * 8 + x] * block[y * 8 + x];
      half[u * 8 + y] = sum;
    }
  }
  for (std::size_t v = 0; v < 8; ++v) {
    for (std::size_t u = 0; u < 8; ++u) {
      float sum = 0;
      for (std::size_t y = 0; y < 8; ++y) sum += m[v * 8 + y] * half[u * 8 + y];
      block[v * 8 + u] = sum;
    }
  }
}

/// Writes one slice; maintains the predictors of §7.2.1 and §7.6.3.
class SliceWriter {
 public:
  SliceWriter(ByteVector& out, const Picture& picture, PictureType type, int row, int quantiser)
      : bits_(out), picture_(picture), type_(type), row_(row), quantiser_(quantiser) {
    put_start_code(out, static_cast<std::uint8_t>(row + 1));  // slice_vertical_position
    bits_.put(static_cast<std::uint32_t>(quantiser), 5);
    bits_.put(0, 1);  // extra_bit_slice
  }

  ~SliceWriter() { bits_.align(); }
  SliceWriter(const SliceWriter&) = delete;
  SliceWriter& operator=(const SliceWriter&) = delete;

  void intra(int column) {
    advance_to(column);
    if (type_ == PictureType::intra) {
      bits_.put(1, 1);  // Table B.2: Intra
    } else {
      bits_.put(3, 5);  // Table B.3: Intra
      motion_ = 0;
    }
    for (int part = 0; part < 4; ++part) {
      load(picture_.y, picture_.width, column * 16 + (part & 1) * 8, row_ * 16 + (part >> 1) * 8);
      block(kDcSizeLuminance, dc_[0]);
    }
    load(picture_.cb, picture_.width / 2, column * 8, row_ * 8);
    block(kDcSizeChrominance, dc_[1]);
    load(picture_.cr, picture_.width / 2, column * 8, row_ * 8);
    block(kDcSizeChrominance, dc_[2]);
  }

  /// "MC, not coded" (Table B.3) with a vector `right` whole pixels to the right.
  void moved(int column, int right) {
    advance_to(column);
    bits_.put(1, 3);
    const int difference = right * 2 - motion_;  // half samples; f_code 1: no residual
    put(bits_, kMotionCode[static_cast<std::size_t>(std::abs(difference))]);
    if (difference != 0) bits_.put(difference < 0, 1);
    put(bits_, kMotionCode[0]);
    motion_ = right * 2;
    reset_dc();
  }

 private:
  /// macroblock_address_increment; the macroblocks in between are skipped and reset the predictors (§7.6.6).
  void advance_to(int column) {
    int increment = column - previous_;
    if (increment > 1 && previous_ >= 0) {
      reset_dc();
      motion_ = 0;
    }
    previous_ = column;
    for (; increment > 33; increment -= 33) put(bits_, kAddressEscape);
    put(bits_, kAddressIncrement[static_cast<std::size_t>(increment)]);
  }

  void reset_dc() { dc_.fill(kDcAtReset); }

  void load(const std::vector<std::uint8_t>& plane, int width, int x, int y) {
    const std::uint8_t* from = plane.data() + static_cast<std::size_t>(y * width + x);
    for (std::size_t line = 0; line < 8; ++line, from += width) {
      for (std::size_t i = 0; i < 8; ++i) block_[line * 8 + i] = from[i];
    }
  }

  /// §7.2.2 and §7.4: DC difference, then run and level pairs in zigzag order.
  void block(const std::array<Code, 9>& dc_sizes, int& predictor) {
    forward_dct(block_);
    const int dc = static_cast<int>(std::lround(block_[0] / 8));
    const int difference = dc - predictor;
    predictor = dc;
    int size = 0;
    while (std::abs(difference) >> size != 0) ++size;
    put(bits_, dc_sizes[static_cast<std::size_t>(size)]);
    bits_.put(static_cast<std::uint32_t>(difference < 0 ? difference - 1 : difference), size);

    int run = 0;
    for (std::size_t n = 1; n < 64; ++n) {
      const std::size_t position = kZigzag[n];
      const float step = static_cast<float>(kIntraMatrix[position] * quantiser_) / 8;  // W * scale / 16
      const float value = block_[position];
      // Rounded with a dead zone: values just above half a step cost bits but are invisible.
      const int level = static_cast<int>(std::fabs(value) / step + 0.36F);
      if (level == 0) {
        ++run;
        continue;
      }
      coefficient(run, level, value < 0);
      run = 0;
    }
    put(bits_, kEndOfBlock);
  }

  void coefficient(int run, int level, bool negative) {
    const RunCodes codes = run < 32 ? kRunCodes[static_cast<std::size_t>(run)] : RunCodes{0, 0};
    if (level <= codes.count) {
      put(bits_, kCoefficientCodes[static_cast<std::size_t>(codes.first + level - 1)]);
      bits_.put(negative, 1);
    } else {
      put(bits_, kCoefficientEscape);
      bits_.put(static_cast<std::uint32_t>(run), 6);
      bits_.put(static_cast<std::uint32_t>(negative ? -level : level), 12);
    }
  }

  BitWriter bits_;
  const Picture& picture_;
  PictureType type_;
  int row_;
  int quantiser_;
  int previous_ = -1;
  int motion_ = 0;
  std::array<int, 3> dc_{kDcAtReset, kDcAtReset, kDcAtReset};
  Block block_{};
};

}  // namespace

void write_sequence_start(ByteVector& out, const VideoFormat& format, int time_code, int frame) {
  BitWriter bits(out);
  const auto width = static_cast<std::uint32_t>(format.width);
  const auto height = static_cast<std::uint32_t>(format.height);
  put_start_code(out, 0xB3);  // §6.2.2.1 sequence_header
  bits.put(width, 12);
  bits.put(height, 12);
  bits.put(static_cast<std::uint32_t>(format.display_aspect), 4);
  bits.put(3, 4);  // 25 frames a second
  bits.put(format.bit_rate, 18);
  bits.put(1, 1);
  bits.put(112, 10);  // vbv_buffer_size of Main Level, 112 * 16384 bits
  bits.put(0, 3);     // no constrained parameters, default matrices
  put_start_code(out, 0xB5);
  bits.put(1, 4);     // §6.2.2.3 sequence_extension
  bits.put(0x48, 8);  // Main Profile at Main Level
  bits.put(1, 1);     // progressive_sequence
  bits.put(1, 2);     // 4:2:0
  bits.put(0, 16);    // upper bits of sizes and bit rate
  bits.put(1, 1);
  bits.put(0, 8);
  bits.put(1, 1);  // low_delay: no B pictures, presented when decoded
  bits.put(0, 7);
  put_start_code(out, 0xB5);
  bits.put(2, 4);  // §6.2.2.4 sequence_display_extension
  bits.put(1, 3);  // PAL
  bits.put(1, 1);
  bits.put(5, 8);  // BT.470 B/G primaries
  bits.put(5, 8);  // its transfer
  bits.put(5, 8);  // BT.601 matrix
  bits.put(width, 14);
  bits.put(1, 1);
  bits.put(height, 14);
  bits.align();
  put_start_code(out, 0xB8);  // §6.2.2.6 group_of_pictures_header
  bits.put(0, 1);
  bits.put(static_cast<std::uint32_t>(time_code / 3600), 5);
  bits.put(static_cast<std::uint32_t>(time_code / 60 % 60), 6);
  bits.put(1, 1);
  bits.put(static_cast<std::uint32_t>(time_code % 60), 6);
  bits.put(static_cast<std::uint32_t>(frame), 6);
  bits.put(2, 2);  // closed_gop
  bits.align();
}

void write_picture_start(ByteVector& out, PictureType type, int temporal_reference) {
  const bool predicted = type == PictureType::predicted;
  BitWriter bits(out);
  put_start_code(out, 0x00);  // §6.2.3 picture_header
  bits.put(static_cast<std::uint32_t>(temporal_reference), 10);
  bits.put(static_cast<std::uint32_t>(type), 3);
  bits.put(0xFFFF, 16);           // vbv_delay: variable rate
  if (predicted) bits.put(7, 4);  // full_pel_forward_vector 0, forward_f_code 7 (unused)
  bits.put(0, 1);
  bits.align();
  put_start_code(out, 0xB5);
  bits.put(8, 4);                               // §6.2.3.1 picture_coding_extension
  bits.put(predicted ? 0x11FFU : 0xFFFFU, 16);  // f_code
  bits.put(0, 2);                               // intra_dc_precision: 8 bits
  bits.put(3, 2);                               // frame picture
  bits.put(0, 1);                               // top_field_first
  bits.put(1, 1);                               // frame_pred_frame_dct
  bits.put(0, 5);                               // no concealment, linear scale, table B.14, zigzag, no repeat
  bits.put(1, 1);                               // chroma_420_type
  bits.put(1, 1);                               // progressive_frame
  bits.put(0, 1);
  bits.align();
}

void encode_intra_slice(ByteVector& out, const Picture& picture, int row, int first, int end, int quantiser) {
  SliceWriter slice(out, picture, PictureType::intra, row, quantiser);
  for (int column = first; column < end; ++column) slice.intra(column);
}

void encode_predicted_slice(ByteVector& out, const Picture& picture, int row, int first, int end, int quantiser,
                            const std::function<bool(int)>& changed) {
  SliceWriter slice(out, picture, PictureType::predicted, row, quantiser);
  for (int column = first; column < end; ++column) {
    if (changed(column)) {
      slice.intra(column);
    } else if (column == first || column == end - 1) {
      slice.moved(column, 0);  // the ends of a slice may not be skipped (§6.3.17)
    }
  }
}

void encode_scrolled_slice(ByteVector& out, const Picture& picture, int row, int pixels, int quantiser) {
  SliceWriter slice(out, picture, PictureType::predicted, row, quantiser);
  const int last = picture.columns() - 1;
  for (int column = 0; column < last; ++column) slice.moved(column, pixels);
  slice.intra(last);
}

}  // namespace receiverd::dvb::demo
