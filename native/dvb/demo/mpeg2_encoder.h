// A small MPEG-2 video encoder (ISO/IEC 13818-2, Main Profile at Main Level) for mostly static pictures.
//
// A picture is a header and slices. A slice here never spans macroblock rows, starts on a byte and depends on nothing
// before it (§6.1.2, predictors are reset). Slices are therefore encoded once, cached as bytes and joined into
// pictures. In a predicted picture a macroblock is intra coded, copied unchanged (skipped), or copied from up to 7
// pixels to its right (for a ticker that moves left). No coded differences exist, so no errors accumulate.
#pragma once

#include <cstdint>
#include <functional>

#include "dvb/demo/bit_writer.h"
#include "dvb/demo/picture.h"

namespace receiverd::dvb::demo {

struct VideoFormat {
  int width = 720;
  int height = 576;
  int display_aspect = 3;         ///< aspect_ratio_information: 2 = 4:3, 3 = 16:9
  std::uint32_t bit_rate = 4000;  ///< upper bound in units of 400 bit/s
};

enum class PictureType : std::uint8_t { intra = 1, predicted = 2 };

/// Writes sequence header and extensions, and group of pictures header. `time_code` is in seconds of the day, `frame`
/// is 0..24 within the second.
void write_sequence_start(ByteVector& out, const VideoFormat& format, int time_code, int frame);

/// Writes picture header and coding extension. `temporal_reference` is the number of the picture in its group.
void write_picture_start(ByteVector& out, PictureType type, int temporal_reference);

/// Encodes a slice of macroblocks [first, end) of `row`. `quantiser` is quantiser_scale_code 1..31 (scale = 2 * code).
void encode_intra_slice(ByteVector& out, const Picture& picture, int row, int first, int end, int quantiser);

/// The same for a predicted picture: macroblocks for which `changed(column)` is true are coded, the others skipped.
void encode_predicted_slice(ByteVector& out, const Picture& picture, int row, int first, int end, int quantiser,
                            const std::function<bool(int)>& changed);

/// Encodes a whole row that moves left by `pixels` (0..4): all but the last macroblock are copied from the right.
void encode_scrolled_slice(ByteVector& out, const Picture& picture, int row, int pixels, int quantiser);

}  // namespace receiverd::dvb::demo
