// Undoing the row filters of PNG (ISO/IEC 15948, section 9): each byte was stored as the difference
// from a guess made of the bytes to the left, above, and above to the left.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstdlib>

namespace nb = nanobind;

namespace {

using Bytes = nb::ndarray<uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int paeth(int left, int up, int corner) {
    const int guess = left + up - corner;
    const int to_left = std::abs(guess - left), to_up = std::abs(guess - up);
    const int to_corner = std::abs(guess - corner);
    if (to_left <= to_up && to_left <= to_corner) return left;
    return to_up <= to_corner ? up : corner;
}

// Restores one row in place; `above` is the restored row over it or null.
bool restore(uint8_t filter, uint8_t *row, const uint8_t *above, size_t width, size_t step) {
    if (filter > 4) return false;
    if (filter == 0) return true;
    for (size_t i = 0; i < width; ++i) {
        const int left = i >= step ? row[i - step] : 0;
        const int up = above ? above[i] : 0;
        const int corner = above && i >= step ? above[i - step] : 0;
        const int guess = filter == 1   ? left
                          : filter == 2 ? up
                          : filter == 3 ? (left + up) / 2
                                        : paeth(left, up, corner);
        row[i] = static_cast<uint8_t>(row[i] + guess);
    }
    return true;
}

// rows: [height, 1 + width] bytes, each row led by its filter type; restored in place.
bool unfilter_png(Bytes rows, size_t bytes_per_pixel) {
    const size_t stride = rows.shape(1);
    const uint8_t *above = nullptr;
    for (size_t y = 0; y < rows.shape(0); ++y) {
        uint8_t *row = rows.data() + y * stride;
        if (!restore(row[0], row + 1, above, stride - 1, bytes_per_pixel)) return false;
        above = row + 1;
    }
    return true;
}

}  // namespace

void bind_png(nb::module_ &m) {
    m.def("unfilter_png", &unfilter_png, nb::arg("rows"), nb::arg("bytes_per_pixel"),
          "Undo the PNG row filters in place; false if a filter type is unknown.");
}
