#pragma once

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "training/team.hpp"

namespace softradial::study {

// A team of threads, for tests that need no MPI. Numbers are added in the order of the ranks.
class ThreadTeam {
 public:
  explicit ThreadTeam(int size) : barrier_(size), numbers_(static_cast<std::size_t>(size)) {}

  // Calls work(team) once for each rank, all at the same time.
  void run(const std::function<void(Team&)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < static_cast<int>(numbers_.size()); ++rank) {
      threads.emplace_back([this, rank, &work] {
        Member member(*this, rank);
        work(member);
      });
    }
  }

 private:
  class Member final : public Team {
   public:
    Member(ThreadTeam& team, int rank) : team_(team), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(team_.numbers_.size()); }
    void sum(std::span<float> numbers) override { add(numbers); }
    void sum(std::span<double> numbers) override { add(numbers); }
    std::vector<double> gathered(std::span<const double> own) override {
      team_.numbers_[static_cast<std::size_t>(rank_)].assign(own.begin(), own.end());
      team_.barrier_.arrive_and_wait();
      std::vector<double> all;
      for (const auto& part : team_.numbers_) all.insert(all.end(), part.begin(), part.end());
      team_.barrier_.arrive_and_wait();
      return all;
    }
    std::string from_first(std::string bytes) override {
      if (rank_ == 0) team_.bytes_ = std::move(bytes);
      team_.barrier_.arrive_and_wait();
      std::string told = team_.bytes_;
      team_.barrier_.arrive_and_wait();
      return told;
    }
    void part() override {}

   private:
    template <class T>
    void add(std::span<T> numbers) {
      const std::vector<double> own(numbers.begin(), numbers.end());
      const std::vector<double> all = gathered(own);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        double total = 0;
        for (std::size_t k = i; k < all.size(); k += numbers.size()) total += all[k];
        numbers[i] = static_cast<T>(total);
      }
    }

    ThreadTeam& team_;
    int rank_;
  };

  std::barrier<> barrier_;
  std::vector<std::vector<double>> numbers_;
  std::string bytes_;
};

}  // namespace softradial::study
